import { register } from '../extensions';

/** Something that this replica needs in order to serve. */
export interface HealthCheck {
  /** Resolves while all is well. An error, or no answer within two seconds, makes the replica unready. */
  check(): Promise<void>;
}

export const HEALTH_INDICATOR = Symbol('health indicator');

/** Registers a class as a condition of readiness. Probes tell its `name` when it is not met, and the log the error. */
export function HealthIndicator(name: string) {
  return register<HealthCheck>(HEALTH_INDICATOR, { name });
}
