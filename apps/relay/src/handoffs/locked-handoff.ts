import type { HandoffState, Intent, Outcome } from '@agentrelay/protocol';
import type { BlockState } from '../agents';
import type { Side } from './write/handoff-state';
import type { ParticipantView } from './handoff.views';

/** A handoff whose row this transaction has locked, seen by one of its participants. */
export interface LockedHandoff {
  id: string;
  status: HandoffState;
  intent: Intent;
  version: number;
  messageCount: number;
  outcome: Outcome | null;
  acceptedSessionId: string | null;
  acceptedVersion: number | null;
  acceptedAt: Date | null;
  sender: ParticipantView;
  recipient: ParticipantView;
  side: Side;
  counterpart: ParticipantView & { active: boolean };
  blocks: BlockState;
}
