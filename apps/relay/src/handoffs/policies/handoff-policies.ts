import { RelayError } from '@agentrelay/protocol';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type Registered, registered, TimedOut, within } from '../../extensions';
import { HANDOFF_POLICY, type HandoffProposal, type HandoffReview } from './handoff-policy.decorator';

const TIME_LIMIT_MS = 2_000;

/**
 * Asks every registered policy, in order of names, before a transaction is opened: a slow policy holds no connection and no
 * lock. The repetition of a write that was stored is answered as it was, whatever a policy says by now.
 */
@Injectable()
export class HandoffPolicies implements OnModuleInit {
  private policies: Registered<{ name: string }, HandoffReview>[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.policies = registered(this.discovery, HANDOFF_POLICY, 'handoff policy');
  }

  /** @throws RelayError of the first policy that refuses, or unavailable when one does not answer */
  async review(proposal: HandoffProposal): Promise<void> {
    for (const { name, instance } of this.policies) {
      try {
        await within(TIME_LIMIT_MS, () => instance.review(proposal));
      } catch (error) {
        if (!(error instanceof TimedOut)) throw error;
        const message = `The policy ${name} of this relay did not answer in time; nothing was stored. Try again.`;
        throw new RelayError('unavailable', message, { policy: name }, { cause: error });
      }
    }
  }
}
