import { RelayError } from '@agentrelay/protocol';
import type { BlockState } from './blocks.repository';

/** @throws RelayError teammate_blocked when a block stands in either direction */
export function refuseIfBlocked(counterpart: string, { counterpartBlocks, callerBlocks }: BlockState): void {
  if (callerBlocks) {
    throw new RelayError('teammate_blocked', `You have blocked ${counterpart}; unblock first to reach them.`, {
      blocked_by: 'you',
    });
  }
  if (counterpartBlocks) throw blockedBy(counterpart);
}

/** The refusal for a block that was found by the writing statement itself. */
export function blockedBy(counterpart: string): RelayError {
  return new RelayError(
    'teammate_blocked',
    `${counterpart} does not take work from you; talk to them outside the relay.`,
    {
      blocked_by: 'teammate',
    },
  );
}
