import { Histogram } from 'prom-client';
import { MetricsRegistry } from '../../apps/relay/src/metrics/metrics-registry';

/** Labels that Prometheus adds to everything it scrapes from the relay. */
const TARGET_LABELS = ['job', 'instance', 'namespace', 'pod', 'container', 'service', 'endpoint'];

const relayMetrics = new MetricsRegistry();
relayMetrics.watchProcess();

/** Every metric that the relay has, with its own labels, as queries name it. */
const METRICS: Record<string, readonly string[]> = Object.fromEntries(
  relayMetrics.registry.getMetricsAsArray().flatMap((metric) => {
    const { name, labelNames = [] } = metric as unknown as { name: string; labelNames?: readonly string[] };
    return metric instanceof Histogram ? [[`${name}_bucket`, [...labelNames, 'le']]] : [[name, labelNames]];
  }),
);

const WORDS = new Set(['and', 'or', 'unless', 'bool', 'offset', 'by', 'without', 'on', 'ignoring']);

/** The names in a PromQL query that are not a metric or a label of the relay; empty for a good one. */
export function strangersIn(query: string): string[] {
  const strangers: string[] = [];
  const labels = new Set<string>(TARGET_LABELS);
  let rest = query.replace(/"[^"]*"/g, '""').replace(/\[[^\]]*\]/g, '');
  // Matchers first, each against the labels of its own metric.
  rest = rest.replace(/([a-zA-Z_:][\w:]*)\s*\{([^}]*)\}/g, (_, metric: string, matchers: string) => {
    const known = [...TARGET_LABELS, ...(METRICS[metric] ?? [])];
    const used = [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label);
    strangers.push(...used.filter((label) => !known.includes(label)).map((label) => `${metric}{${label}}`));
    return metric;
  });
  const groups: string[] = [];
  rest = rest.replace(/\b(by|without|on|ignoring)\s*\(([^)]*)\)/g, (_, __, list: string) => {
    groups.push(...list.split(',').map((label) => label.trim()));
    return ' ';
  });
  for (const [, name = '', call] of rest.matchAll(/(?<![\w.$])([a-zA-Z_:][\w:]*)(\s*\()?/g)) {
    if (call !== undefined || WORDS.has(name)) continue;
    if (METRICS[name] === undefined) strangers.push(name);
    for (const label of METRICS[name] ?? []) labels.add(label);
  }
  return [...strangers, ...groups.filter((label) => !labels.has(label)).map((label) => `by (${label})`)];
}
