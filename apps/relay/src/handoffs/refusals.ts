import { jsonBytes, LIMITS, RelayError } from '@agentrelay/protocol';
import type { NewMessage } from '../messages';
import { decide, type HandoffAction, type Refusal } from './handoff-state';
import type { LockedHandoff } from './locked-handoff';

/** What names, ids and times of a message take, as the database counts them (`message_bytes`). */
const MEMBER_BYTES = 400;

/** Strangers and unknown ids get this same answer, so that nobody learns that a thread exists. */
export function threadNotFound(id: string): RelayError {
  return new RelayError(
    'thread_not_found',
    `You have no thread with the id ${id}; list your threads to find the right one.`,
  );
}

/** @throws RelayError with the symbol that the state machine gives for this action now */
export function refuseUnlessAllowed(action: HandoffAction, handoff: LockedHandoff): void {
  const verdict = decide(action, handoff.status, handoff.side);
  if (verdict !== 'allowed') throw refusal(verdict, action, handoff);
}

/** @throws RelayError thread_terminal */
export function refuseIfTerminal(action: HandoffAction, handoff: LockedHandoff): void {
  if (decide(action, handoff.status, handoff.side) === 'thread_terminal')
    throw refusal('thread_terminal', action, handoff);
}

/** @throws RelayError state_changed when the caller's picture of the handoff is out of date */
export function refuseOtherVersion(expected: number | undefined, handoff: LockedHandoff): void {
  if (expected === undefined || expected === handoff.version) return;
  const message = `The handoff is at version ${handoff.version}, not ${expected}; read the thread again, then decide.`;
  throw new RelayError('state_changed', message, { expected_version: expected, version: handoff.version });
}

/** A call that read one state and lost the conditional update to another. */
export function lostUpdate(): RelayError {
  return new RelayError('state_changed', 'The handoff changed in the same moment; read the thread again, then decide.');
}

/** The bytes of a thread are counted by the statement that adds to it. */
export function threadHoldsNoMore(): RelayError {
  const limit = LIMITS.threadBytes;
  return new RelayError(
    'invalid_params',
    `A thread holds at most ${limit} bytes, and this message does not fit any more. Refer to large content with a file_ref, or complete the thread and send a new handoff.`,
    { limit_bytes: limit },
  );
}

/** What one message may take of an answer; a larger one could leave no room for what stands beside it. */
export function mostBytesOfMessage(): number {
  return Math.floor((LIMITS.answerBytes * 3) / 4);
}

/** @throws RelayError payload_too_large for a message that no answer could show whole */
export function refuseUnanswerable({
  body,
  payload,
  artifacts,
}: Pick<NewMessage, 'body' | 'payload' | 'artifacts'>): void {
  const bytes = jsonBytes(body) + jsonBytes(payload) + jsonBytes(artifacts);
  const limit = Math.min(mostBytesOfMessage(), LIMITS.threadBytes) - MEMBER_BYTES;
  if (bytes <= limit) return;
  throw new RelayError(
    'payload_too_large',
    `Text, payload and artifacts take ${bytes} bytes as JSON, and a message has room for ${limit}; refer to large content with a file_ref.`,
    { limit_bytes: limit },
  );
}

function refusal(symbol: Refusal, action: HandoffAction, handoff: LockedHandoff): RelayError {
  return new RelayError(symbol, explain(symbol, action, handoff), {
    status: handoff.status,
    version: handoff.version,
    ...(symbol === 'state_changed' ? acceptance(handoff) : {}),
  });
}

function acceptance(handoff: LockedHandoff): Record<string, unknown> {
  return {
    accepted_at: handoff.acceptedAt?.toISOString(),
    accepted_session_id: handoff.acceptedSessionId ?? undefined,
  };
}

function explain(symbol: Refusal, action: HandoffAction, handoff: LockedHandoff): string {
  switch (symbol) {
    case 'thread_terminal':
      return `The handoff is ${handoff.status} and read-only; send a new handoff to go on.`;
    case 'not_authorized_transition':
      return action === 'cancel'
        ? 'Only the sender can cancel a handoff; complete it with outcome "failed" to decline the work.'
        : `Only the recipient can ${action} a handoff; send a message to ask for it.`;
    case 'state_changed':
      return `${handoff.recipient.handle} already accepted this handoff at ${handoff.acceptedAt?.toISOString()} in another session; view_thread reads it.`;
    case 'invalid_transition':
      return action === 'cancel'
        ? 'The handoff was accepted and can no longer be cancelled; send a message instead.'
        : `The handoff is still pending; accept it before you ${action} it.`;
  }
}
