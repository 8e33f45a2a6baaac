import { LIMITS, RelayError } from '@agentrelay/protocol';

/** Up to so much is read without being counted before. */
export const READ_AT_ONCE_BYTES = 256 * 1024;

/** Counts bytes for somebody and returns what gives them back; undefined when they do not fit and are not `owed`. */
export type TakeBytes = (bytes: number, owed: boolean) => (() => void) | undefined;

/**
 * What one request may be answered with, in bytes: one answer, or all answers of a batch together. It also holds the request's
 * part of all answers that are in flight on this replica, from before they are read until their reader has them.
 */
export class AnswerRoom {
  private used = 0;
  private held = 0;
  private releases: (() => void)[] = [];
  private shared = false;
  private owed = false;
  private closed = false;

  constructor(
    private readonly take: TakeBytes = () => () => undefined,
    private readonly bound: number = LIMITS.answerBytes,
  ) {}

  /** Whether the answers of a batch share it. */
  get isShared(): boolean {
    return this.shared;
  }

  /** From now on the answers of a batch share it. */
  share(): void {
    this.shared = true;
  }

  /** Something was written: its answer is sent however much is in flight. */
  owe(): void {
    this.owed = true;
  }

  /** Bytes that can still be answered; below zero when writes have used more. */
  get left(): number {
    return this.bound - this.used;
  }

  /** Room for one piece of an answer that is sent bit by bit; whoever sends it releases it. */
  piece(bytes: number): AnswerRoom {
    return new AnswerRoom(this.take, Math.min(bytes, this.bound));
  }

  /** Counts an answer that is there. */
  use(bytes: number): void {
    this.used += bytes;
  }

  /**
   * Counts what is about to be read as in flight; up to READ_AT_ONCE_BYTES only when it is sent, because the pool of connections
   * bounds how much of that is read at once. @throws RelayError unavailable when too much is in flight
   */
  reserve(bytes: number): void {
    if (bytes <= READ_AT_ONCE_BYTES) return;
    // Whoever has hung up reads nothing of it.
    if (this.closed) throw tooMuchInFlight();
    const release = this.take(bytes, false);
    if (release === undefined) throw tooMuchInFlight();
    this.releases.push(release);
    this.held += bytes;
  }

  /** Counts exactly `bytes` as in flight, whatever was reserved. @throws RelayError unavailable when too much is, unless it is owed */
  settle(bytes: number): void {
    const reserved = this.held;
    this.release();
    // Nobody would give back what is taken for a reader who has hung up.
    if (this.closed) return;
    const release = this.take(bytes, this.owed || bytes <= reserved);
    if (release === undefined) throw tooMuchInFlight();
    this.releases.push(release);
    this.held = bytes;
  }

  /** The connection of the request has ended: nothing of it is in flight, now or later. */
  close(): void {
    this.closed = true;
    this.release();
  }

  /** Nothing of the request is in flight any more. */
  release(): void {
    for (const release of this.releases) release();
    this.releases = [];
    this.held = 0;
  }
}

function tooMuchInFlight(): RelayError {
  return new RelayError(
    'unavailable',
    'The relay is busy with answers that their readers have not taken yet. Take those that you asked for, then try again.',
  );
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
