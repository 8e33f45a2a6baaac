import { register } from '../../extensions';
import type { Caller } from '../../identity';
import type { AcceptHandoffArguments, CompleteHandoffArguments, SendHandoffArguments } from '../commands/arguments';

/** What somebody is about to do, before anything is looked up or written. */
export type HandoffProposal =
  | { action: 'send'; by: Caller; args: SendHandoffArguments }
  | { action: 'accept'; by: Caller; args: AcceptHandoffArguments }
  | { action: 'complete'; by: Caller; args: CompleteHandoffArguments };

/** A rule of the team's own on what may be handed over, taken on and finished. */
export interface HandoffReview {
  /**
   * Resolves to let it pass. To veto it, throw a `RelayError`: its symbol, message and details reach the caller. Anything else
   * that is thrown is answered as `internal`; no answer within two seconds as `unavailable`. Nothing is stored in either case.
   */
  review(proposal: HandoffProposal): Promise<void>;
}

export const HANDOFF_POLICY = Symbol('handoff policy');

/** Registers a class as a policy that every send, accept and complete has to pass. */
export function HandoffPolicy(name: string) {
  return register<HandoffReview>(HANDOFF_POLICY, { name });
}
