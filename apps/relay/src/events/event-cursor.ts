import { RelayError } from '@agentrelay/protocol';

/** A place in the log: after the event of this transaction and id, in this epoch of the database. */
export interface EventPosition {
  epoch: number;
  /** A bigint as text, as the driver gives it. */
  transactionId: string;
  id: string;
}

const SHAPE = /^(\d{1,9})\.(\d{1,19})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** The smallest id: a position with it stands before every event of its transaction. */
export const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';

export function encodeEventCursor({ epoch, transactionId, id }: EventPosition): string {
  return Buffer.from(`${epoch}.${transactionId}.${id}`).toString('base64url');
}

/** @throws RelayError invalid_params when the text is not a cursor of ours */
export function decodeEventCursor(cursor: string): EventPosition {
  const [, epoch, transactionId, id] = SHAPE.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (epoch === undefined || transactionId === undefined || id === undefined || BigInt(transactionId) > MAX_BIGINT) {
    throw new RelayError('invalid_params', 'cursor is not one that this relay gave out; start again without it.', {
      field: 'cursor',
    });
  }
  return { epoch: Number(epoch), transactionId, id };
}

const MAX_BIGINT = 9_223_372_036_854_775_807n;

/** The log was restored, moved or shortened since the cursor was given out: going on from it would skip events. */
export function cursorExpired(): RelayError {
  return new RelayError(
    'cursor_expired',
    'The event log no longer reaches back to this cursor. Read your threads afresh with tasks/list, then start again without a cursor.',
  );
}
