import { type HealthCheck, HealthIndicator } from '@agentrelay/extension';
import { FreezeStore } from './freeze.store';

/** A replica that cannot read the freezes would let everything pass, or nothing: it takes no traffic. */
@HealthIndicator('change-freeze')
export class FreezeIndicator implements HealthCheck {
  constructor(private readonly freezes: FreezeStore) {}

  async check(): Promise<void> {
    await this.freezes.current();
  }
}
