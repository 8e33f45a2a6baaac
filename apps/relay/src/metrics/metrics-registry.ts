import { version } from '@agentrelay/version';
import { Injectable } from '@nestjs/common';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';

/** From a millisecond to the longest that a caller may wait. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Every metric of the relay, with what it means. Labels take their values from closed sets, never from callers. */
@Injectable()
export class MetricsRegistry {
  readonly registry = new Registry();

  readonly rpcCalls = this.counter('rpc_calls_total', 'Calls of the native API.', ['method', 'outcome']);
  readonly rpcDuration = this.histogram('rpc_duration_seconds', 'How long calls of the native API took.', ['method']);
  readonly httpRequests = this.counter('http_requests_total', 'HTTP requests.', ['method', 'route', 'status']);
  readonly httpDuration = this.histogram('http_request_duration_seconds', 'How long HTTP requests took.', [
    'method',
    'route',
  ]);
  readonly transitions = this.counter('transitions_total', 'Changes of handoffs that were committed.', ['type']);
  readonly rateLimited = this.counter('rate_limited_total', 'Requests over a rate.', ['limit']);

  readonly handoffs = this.gauge('handoffs', 'Open handoffs of the team; 100,000 stands for that many or more.', [
    'state',
  ]);
  readonly oldestUnaccepted = this.gauge('oldest_unaccepted_seconds', 'Age of the oldest pending handoff.');
  readonly horizonLag = this.gauge(
    'event_horizon_lag_seconds',
    'For how long an open transaction has kept new events from readers.',
  );
  readonly subscriberLag = this.gauge(
    'subscriber_lag_seconds',
    'Age of the oldest event that a subscriber has not taken.',
    ['subscriber'],
  );
  readonly undeclaredSubscriberLag = this.gauge(
    'undeclared_subscriber_lag_seconds',
    'Age of the oldest event that is kept for a subscriber which no code of this relay declares.',
    ['subscriber'],
  );
  readonly subscriberMissed = this.gauge(
    'subscriber_missed_events',
    'Events that retention removed before a subscriber had read them.',
    ['subscriber'],
  );
  readonly waiters = this.gauge('waiters', 'Streams and long polls that wait on this replica.');
  readonly connections = this.gauge('database_connections', 'Database connections of this replica.', ['state']);
  readonly waitingRequests = this.gauge(
    'database_waiting_requests',
    'Requests of this replica that wait for a database connection.',
  );
  readonly ready = this.gauge('ready', 'Whether this replica is ready.');

  constructor() {
    this.gauge('build_info', 'The version that runs.', ['version']).set({ version: version() }, 1);
  }

  /** Adds what Prometheus clients tell of every process; it costs timers, so only where somebody asks for metrics. */
  watchProcess(): void {
    collectDefaultMetrics({ register: this.registry });
  }

  private counter<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Counter<Label> {
    return new Counter({ name: `agentrelay_${name}`, help, labelNames, registers: [this.registry] });
  }

  private histogram<Label extends string>(name: string, help: string, labelNames: readonly Label[]): Histogram<Label> {
    return new Histogram({
      name: `agentrelay_${name}`,
      help,
      labelNames,
      buckets: SECONDS,
      registers: [this.registry],
    });
  }

  private gauge<Label extends string>(name: string, help: string, labelNames: readonly Label[] = []): Gauge<Label> {
    return new Gauge({ name: `agentrelay_${name}`, help, labelNames, registers: [this.registry] });
  }
}
