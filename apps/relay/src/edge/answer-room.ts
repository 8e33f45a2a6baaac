import { LIMITS, RelayError } from '@agentrelay/protocol';

/** What one request may be answered with, in bytes: one answer, or all answers of a batch together. */
export class AnswerRoom {
  private used = 0;

  /** `isShared`: by the answers of a batch. */
  constructor(readonly isShared = false) {}

  /** Bytes that can still be answered; below zero when writes have used more. */
  get left(): number {
    return LIMITS.answerBytes - this.used;
  }

  /** Counts an answer that is there. */
  use(bytes: number): void {
    this.used += bytes;
  }
}

/** An answer that cannot come in parts would be too long. */
export function answerTooLarge(): RelayError {
  return new RelayError(
    'payload_too_large',
    `The answer would take more than ${LIMITS.answerBytes} bytes; ask for less at once.`,
    { limit_bytes: LIMITS.answerBytes },
  );
}

/** Answers of a batch have taken the room that this one needs. */
export function noRoomInBatch(): RelayError {
  return new RelayError(
    'payload_too_large',
    `The answers of this batch would take more than ${LIMITS.answerBytes} bytes; ask for this one alone.`,
    { limit_bytes: LIMITS.answerBytes },
  );
}
