import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { DEFAULT_LIMITS } from '@agentrelay/protocol';
import { describeSettings, readSettings } from '../../apps/relay/src/config';
import { runOptions, parseDockerfile } from '../../scripts/image-smoke-test/dockerfile';
import { textOf } from './checkout';
import { find, kustomize, type Manifest, type PodTemplate, podTemplateOf } from './kustomize';

const manifests = kustomize('docker/k8s/overlays/production');
const image = runOptions(parseDockerfile(textOf('docker/relay.Dockerfile')).at(-1)!);

const BASE_CONNECTIONS_OF_POSTGRES = 100;
const CONNECTIONS_FOR_OTHERS = 20;

function spec(kind: string, name = 'agentrelay'): unknown {
  const found = find(manifests, kind, name);
  if (found === undefined) throw new Error(`There is no ${kind} ${name}.`);
  return found.spec;
}

const deployment = podTemplateOf(find(manifests, 'Deployment', 'agentrelay')!)!;
const migration = podTemplateOf(find(manifests, 'Job', 'agentrelay-migrate')!)!;
const pods: [string, PodTemplate][] = [
  ['the relay', deployment],
  ['the migration', migration],
];
const settings = find(manifests, 'ConfigMap', 'agentrelay-settings')!.data!;
const secrets = spec('ExternalSecret', 'agentrelay-secrets') as {
  target: { name: string };
  data: { secretKey: string }[];
};

interface Selector {
  matchLabels: Record<string, string>;
}

function selects({ matchLabels }: Selector, { labels = {} }: { labels?: Record<string, string> }): boolean {
  return Object.entries(matchLabels).every(([name, value]) => labels[name] === value);
}

const portNames = deployment.spec.containers[0]!.ports!.map(({ name }) => name);

describe.each(pods)('the pod of %s', (_, { spec: pod }) => {
  const container = pod.containers[0]!;

  it('runs as nobody in particular: no root, no token, no capability, nothing to write to', () => {
    expect(pod.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: Number(image.user!.split(':')[0]),
      runAsGroup: Number(image.user!.split(':')[1]),
      fsGroup: Number(image.user!.split(':')[1]),
      seccompProfile: { type: 'RuntimeDefault' },
    });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
    expect(find(manifests, 'ServiceAccount', pod.serviceAccountName)).toMatchObject({
      automountServiceAccountToken: false,
    });
  });

  it('gets settings that the relay knows, and only secrets as files', () => {
    const known = describeSettings();
    for (const { configMapRef } of container.envFrom) {
      const { data = {} } = find(manifests, 'ConfigMap', configMapRef.name) ?? {};
      expect(known.filter(({ secret }) => !secret).map(({ name }) => name)).toEqual(
        expect.arrayContaining(Object.keys(data)),
      );
    }
    expect(known.filter(({ secret }) => secret).map(({ name }) => `${name}_FILE`)).toEqual(
      expect.arrayContaining(container.env.map(({ name }) => name)),
    );
  });

  it('finds each secret where its settings point', () => {
    const [mount] = container.volumeMounts;
    const volume = pod.volumes.find(({ name }) => name === mount!.name);
    expect(volume!.secret.secretName).toBe(secrets.target.name);
    expect(container.env.map(({ value }) => value).sort()).toEqual(
      secrets.data.map(({ secretKey }) => `${mount!.mountPath}/${secretKey}`).sort(),
    );
  });

  it('runs the image of this version', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    expect(container.image).toBe(`registry.example.com/agentrelay/relay:${version}`);
  });
});

describe('the relay', () => {
  it('accepts the settings and secrets that its pod is given', () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentrelay-secrets-'));
    const random = 'k9Zf2Lw7Qm4Xv8Tr1Bn6Hs3Jd5Gc0Yp+';
    const values: Record<string, string> = {
      DATABASE_URL: 'postgres://relay:secret@pooler.internal:6432/agentrelay',
      DATABASE_DIRECT_URL: 'postgres://relay:secret@postgres.internal:5432/agentrelay',
      RELAY_KEY_PEPPERS: `p1:${random}`,
      RELAY_ADMIN_TOKENS: `ops:${random}-of-ops`,
    };
    for (const [name, value] of Object.entries(values)) writeFileSync(join(folder, name), value);
    const files = deployment.spec.containers[0]!.env.map(({ name, value }) => [name, join(folder, basename(value))]);
    const read = readSettings({
      ...image.environment,
      ...settings,
      ...(Object.fromEntries(files) as Record<string, string>),
    });
    rmSync(folder, { recursive: true });
    expect(read).toMatchObject({
      RELAY_ENV: 'production',
      HOST: '0.0.0.0',
      RELAY_MIGRATE_ON_START: false,
      RELAY_PUBLIC_URL: 'https://relay.example.com',
      DATABASE_DIRECT_URL: values['DATABASE_DIRECT_URL'],
    });
  });

  it('listens on the ports that its container names', () => {
    const ports = deployment.spec.containers[0]!.ports!.map(({ name, containerPort }) => [name, containerPort]);
    expect(Object.fromEntries(ports)).toEqual({
      http: Number(image.environment['PORT']),
      metrics: Number(image.environment['RELAY_METRICS_PORT']),
    });
  });

  it('is probed for start, life and readiness', () => {
    const { startupProbe, livenessProbe, readinessProbe } = deployment.spec.containers[0]!;
    expect([startupProbe, livenessProbe, readinessProbe].map((probe) => probe!.httpGet)).toEqual([
      { path: '/startupz', port: 'http' },
      { path: '/healthz', port: 'http' },
      { path: '/readyz', port: 'http' },
    ]);
  });

  it('has time to end: the delay, a last statement, and ten seconds to spare', () => {
    const { RELAY_SHUTDOWN_DELAY_MS, RELAY_STATEMENT_TIMEOUT_MS } = readSettings({
      ...settings,
      RELAY_ENV: 'test',
      DATABASE_URL: 'postgres://unused',
      RELAY_KEY_PEPPERS: 'p1:k9Zf2Lw7Qm4Xv8Tr1Bn6Hs3Jd5Gc0Yp+',
    });
    expect(RELAY_SHUTDOWN_DELAY_MS).toBeGreaterThanOrEqual(
      2 * deployment.spec.containers[0]!.readinessProbe!.periodSeconds,
    );
    expect(deployment.spec.terminationGracePeriodSeconds! * 1000).toBeGreaterThanOrEqual(
      RELAY_SHUTDOWN_DELAY_MS + RELAY_STATEMENT_TIMEOUT_MS + 10_000,
    );
  });

  it('is never fewer than wanted during a rollout', () => {
    expect(spec('Deployment') as object).toMatchObject({
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
    });
  });

  it('is counted by the autoscaler alone, and is at least three', () => {
    const { scaleTargetRef, minReplicas } = spec('HorizontalPodAutoscaler') as {
      scaleTargetRef: object;
      minReplicas: number;
    };
    expect(scaleTargetRef).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'agentrelay' });
    expect(minReplicas).toBeGreaterThanOrEqual(3);
    expect(spec('Deployment') as object).not.toHaveProperty('replicas');
  });

  it('does not take more connections than a PostgreSQL of default size has, however many replicas there are', () => {
    const { maxReplicas } = spec('HorizontalPodAutoscaler') as { maxReplicas: number };
    const perReplica = Number(settings['DATABASE_POOL_SIZE']) + 1;
    expect((maxReplicas + 1) * perReplica).toBeLessThanOrEqual(BASE_CONNECTIONS_OF_POSTGRES - CONNECTIONS_FOR_OTHERS);
  });
});

describe('what stands around the relay', () => {
  const relayOnly: [string, Selector][] = [
    ['Deployment', (spec('Deployment') as { selector: Selector }).selector],
    ['Service', { matchLabels: (spec('Service') as { selector: Record<string, string> }).selector }],
    ['PodDisruptionBudget', (spec('PodDisruptionBudget') as { selector: Selector }).selector],
    ...deployment.spec.topologySpreadConstraints!.map(
      ({ labelSelector }) => ['topologySpreadConstraint', labelSelector] as [string, Selector],
    ),
  ];

  it.each(relayOnly)('the %s selects the relay’s pods and not the migration’s', (_, selector) => {
    expect([selects(selector, deployment.metadata), selects(selector, migration.metadata)]).toEqual([true, false]);
  });

  it('the NetworkPolicy holds for all pods, and opens ports that exist', () => {
    const { podSelector, ingress } = spec('NetworkPolicy') as {
      podSelector: Selector;
      ingress: { ports: { port: string }[] }[];
    };
    expect(pods.map(([, pod]) => selects(podSelector, pod.metadata))).toEqual([true, true]);
    expect(ingress.flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual(portNames);
  });

  it('the Service leads to ports that exist', () => {
    const { ports } = spec('Service') as { ports: { targetPort: string }[] };
    expect(ports.map(({ targetPort }) => targetPort)).toEqual(portNames);
  });

  it('the ServiceMonitor scrapes the Service, under the job name that the alerts use', () => {
    const { selector, endpoints, jobLabel } = spec('ServiceMonitor') as {
      selector: Selector;
      endpoints: { port: string }[];
      jobLabel: string;
    };
    const service = find(manifests, 'Service', 'agentrelay')!;
    expect(selects(selector, service.metadata)).toBe(true);
    expect(service.metadata.labels![jobLabel]).toBe('agentrelay');
    expect(endpoints).toMatchObject([{ port: 'metrics', path: '/metrics' }]);
  });

  it('the Ingress leads to the Service, at the address that the relay gives out, over TLS', () => {
    const { host } = new URL(settings['RELAY_PUBLIC_URL']!);
    const { rules, tls } = spec('Ingress') as { rules: unknown; tls: unknown };
    expect(rules).toEqual([
      {
        host,
        http: {
          paths: [
            {
              path: '/',
              pathType: 'Prefix',
              backend: { service: { name: 'agentrelay', port: { name: 'http' } } },
            },
          ],
        },
      },
    ]);
    expect(tls).toEqual([{ hosts: [host], secretName: 'agentrelay-tls' }]);
  });

  it('the Ingress lets streams, long polls and the largest body through', () => {
    const annotation = (name: string): string =>
      find(manifests, 'Ingress', 'agentrelay')!.metadata.annotations![`nginx.ingress.kubernetes.io/${name}`]!;
    expect(annotation('proxy-buffering')).toBe('off');
    expect(Number(annotation('proxy-read-timeout')) * 1000).toBeGreaterThan(DEFAULT_LIMITS.eventWaitMs);
    expect(parseInt(annotation('proxy-body-size')) * 1024 * 1024).toBeGreaterThanOrEqual(DEFAULT_LIMITS.bodyBytes);
  });

  it('Argo CD brings what the migration needs, then migrates, then rolls out', () => {
    const wave = ({ metadata }: Manifest): number =>
      Number(metadata.annotations?.['argocd.argoproj.io/sync-wave'] ?? '0');
    const kinds = (wanted: number): string[] =>
      manifests.filter((manifest) => wave(manifest) === wanted).map(({ kind }) => kind);
    expect(kinds(-2).sort()).toEqual(['ConfigMap', 'ExternalSecret', 'NetworkPolicy', 'ServiceAccount']);
    expect(kinds(-1)).toEqual(['Job']);
    expect(kinds(0)).toContain('Deployment');
  });

  it('everything is in the namespace, which admits only restricted pods', () => {
    const [namespace, ...rest] = manifests;
    expect(namespace).toMatchObject({
      kind: 'Namespace',
      metadata: { name: 'agentrelay', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
    });
    expect(new Set(rest.map(({ metadata }) => metadata.namespace))).toEqual(new Set(['agentrelay']));
  });
});
