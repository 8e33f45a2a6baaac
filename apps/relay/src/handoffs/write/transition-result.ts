import type { TransitionResult } from '../handoff.views';
import type { ChangedHandoff } from '../handoffs.repository';

/** The answer to a transition that has just been made. */
export function transitionResult(
  changed: ChangedHandoff,
  extra: Partial<Pick<TransitionResult, 'completionArtifacts' | 'thread' | 'threadOmitted'>>,
): TransitionResult {
  return {
    handoffId: changed.id,
    status: changed.status,
    outcome: changed.outcome,
    version: changed.version,
    updatedAt: changed.updated_at,
    acceptedAt: changed.accepted_at,
    completedAt: changed.completed_at,
    cancelledAt: changed.cancelled_at,
    completionArtifacts: extra.completionArtifacts ?? [],
    thread: extra.thread,
    threadOmitted: extra.threadOmitted ?? false,
    replayed: false,
  };
}
