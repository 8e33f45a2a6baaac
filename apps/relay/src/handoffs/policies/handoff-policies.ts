import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { callExtension, type DiscoveredProvider, discoverProviders } from '../../extensions';
import { HANDOFF_POLICY, type HandoffProposal, type HandoffReview } from './handoff-policy.decorator';

/**
 * Asks every registered policy, in order of names, before a transaction is opened: a slow policy holds no connection and no
 * lock. The repetition of a write that was stored is answered as it was, whatever a policy says by now.
 */
@Injectable()
export class HandoffPolicies implements OnModuleInit {
  private policies: DiscoveredProvider<{ name: string }, HandoffReview>[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    this.policies = discoverProviders(this.discovery, HANDOFF_POLICY, 'handoff policy');
  }

  /** @throws RelayError of the first policy that refuses, or unavailable when one does not answer */
  async review(proposal: HandoffProposal): Promise<void> {
    for (const { name, instance } of this.policies) {
      const late = `The policy ${name} of this relay did not answer in time; nothing was stored. Try again.`;
      await callExtension(() => instance.review(proposal), late, { policy: name });
    }
  }
}
