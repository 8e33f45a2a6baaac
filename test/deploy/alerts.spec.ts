import { textOf } from './checkout';
import { find, kustomize, podTemplateOf } from './kustomize';
import { strangersIn } from './metrics';

interface Alert {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

const RUNBOOK = 'docs/operate.md';
/** The part of a container's memory at which the alert goes off. */
const NEAR = 0.85;

function alertsOf(folder: string): Alert[] {
  const { groups } = find(kustomize(folder), 'PrometheusRule', 'agentrelay')!.spec as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}

const alerts = alertsOf('docker/k8s/base').map((alert) => [alert.alert, alert] as const);

/** The anchor that a heading gets: in lower case, spaces as hyphens, punctuation gone. */
function anchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

describe('the alert', () => {
  it.each(alerts)('%s says how bad it is, what it means, and where it is written what to do', (name, alert) => {
    expect(alert.labels.severity).toMatch(/^(critical|warning)$/);
    expect(alert.annotations).toEqual({
      summary: expect.stringMatching(/\.$/) as string,
      description: expect.stringMatching(/\.$/) as string,
      runbook_url: `${RUNBOOK}#${name.toLowerCase()}`,
    });
    expect(anchors(textOf(RUNBOOK))).toContain(name.toLowerCase());
  });

  it.each(alerts)('%s looks only at what the relay measures', (_, { expr }) => {
    expect(strangersIn(expr)).toEqual([]);
  });

  it.each(['docker/k8s/base', 'docker/k8s/overlays/production'])(
    'on memory knows the container’s limit in %s',
    (folder) => {
      const relay = podTemplateOf(find(kustomize(folder), 'Deployment', 'agentrelay')!)!.spec.containers[0]!;
      const limit = { '512Mi': '512 * 1024 * 1024', '1Gi': '1024 * 1024 * 1024' }[relay.resources.limits.memory];
      const { expr } = alertsOf(folder).find(({ alert }) => alert === 'AgentRelayMemoryNearLimit')!;
      expect(expr).toBe(`process_resident_memory_bytes{job="agentrelay"} > ${NEAR} * ${limit}`);
    },
  );
});

describe('the check of queries', () => {
  it.each([
    ['rate(agentrelay_rpc_call_total[5m])', ['agentrelay_rpc_call_total']],
    ['agentrelay_rpc_calls_total{outcom="ok"}', ['agentrelay_rpc_calls_total{outcom}']],
    ['sum by (state) (agentrelay_waiters)', ['by (state)']],
    ['max by (pod, state) (agentrelay_handoffs offset 5m) or agentrelay_ready > 2', []],
  ])('finds in %s the names nobody knows', (query, strangers) => {
    expect(strangersIn(query)).toEqual(strangers);
  });
});
