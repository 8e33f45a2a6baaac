import type { RelayClient } from '@agentrelay/relay-client';
import { ANSWERS, SELF } from './answers';

/** The relay's client, whose answers are checked by the type of each member before anything of them is used. */
export class CheckedRelay {
  constructor(private readonly client: RelayClient) {}

  /** As the client's. @throws StrangeAnswer, and what the client throws */
  readonly read: RelayClient['read'] = async (method, params, waitMs) => {
    const answer = await this.client.read(method, params, waitMs);
    ANSWERS[method](answer, 'the answer');
    return answer;
  };

  /** As the client's. @throws StrangeAnswer, and what the client throws */
  readonly write: RelayClient['write'] = async (method, params, idempotencyKey) => {
    const answer = await this.client.write(method, params, idempotencyKey);
    ANSWERS[method](answer, 'the answer');
    return answer;
  };

  /** Whose key this is. @throws StrangeAnswer, and what the client throws */
  async whoAmI(): Promise<{ handle: string; principal: string }> {
    const self = await this.client.whoAmI();
    SELF(self, 'the caller');
    return self;
  }

  /** The same for work that must have ended by then, in milliseconds since the epoch. */
  until(deadline: number, traceparent?: string): CheckedRelay {
    return new CheckedRelay(this.client.until(deadline, traceparent));
  }
}
