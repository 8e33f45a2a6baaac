import { jsonBytes, LIMITS, RelayError } from '@agentrelay/protocol';
import type { NewMessage } from '../messages';

/** What names, ids and times of a message take, as the database counts them (`message_bytes`). */
const MEMBER_BYTES = 400;

/** Strangers and unknown ids get this same answer, so that nobody learns that a thread exists. */
export function threadNotFound(id: string): RelayError {
  return new RelayError(
    'thread_not_found',
    `You have no thread with the id ${id}; list your threads to find the right one.`,
  );
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
