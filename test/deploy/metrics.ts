/** Labels that Prometheus adds to everything it scrapes from the relay. */
const TARGET_LABELS = ['job', 'instance', 'namespace', 'pod', 'container', 'service', 'endpoint'];

/** Every metric that the relay has and the alerts or the dashboard use, with its own labels. */
const METRICS: Record<string, string[]> = {
  agentrelay_rpc_calls_total: ['method', 'outcome'],
  agentrelay_rpc_duration_seconds_bucket: ['method', 'le'],
  agentrelay_http_requests_total: ['method', 'route', 'status'],
  agentrelay_http_request_duration_seconds_bucket: ['method', 'route', 'le'],
  agentrelay_handoffs: ['state'],
  agentrelay_transitions_total: ['type'],
  agentrelay_oldest_unaccepted_seconds: [],
  agentrelay_event_horizon_lag_seconds: [],
  agentrelay_subscriber_lag_seconds: ['subscriber'],
  agentrelay_waiters: [],
  agentrelay_database_connections: ['state'],
  agentrelay_database_waiting_requests: [],
  agentrelay_rate_limited_total: ['limit'],
  agentrelay_build_info: ['version'],
  agentrelay_ready: [],
  process_cpu_seconds_total: [],
  process_max_fds: [],
  process_open_fds: [],
  process_resident_memory_bytes: [],
  process_start_time_seconds: [],
  nodejs_eventloop_lag_p99_seconds: [],
  nodejs_heap_size_used_bytes: [],
};

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
