import { HandoffPolicy, type HandoffProposal, type HandoffReview, RelayError } from '@agentrelay/extension';
import { FreezeStore } from './freeze.store';

/** During a freeze nobody proposes a change; questions and news pass. */
@HandoffPolicy('change-freeze')
export class FreezePolicy implements HandoffReview {
  constructor(private readonly freezes: FreezeStore) {}

  async review(proposal: HandoffProposal): Promise<void> {
    if (proposal.action !== 'send' || proposal.args.intent !== 'propose_action') return;
    const freeze = await this.freezes.current();
    if (freeze === undefined) return;
    const message = `Changes are frozen until ${freeze.until.toISOString()} (${freeze.reason}); ask a question instead, or wait.`;
    throw new RelayError('forbidden', message, { policy: 'change-freeze', until: freeze.until.toISOString() });
  }
}
