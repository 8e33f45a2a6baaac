import { RelayError } from '@agentrelay/protocol';

/** A place in the log: after the event of this transaction and id, in this epoch of the database. */
export interface EventPosition {
  /** Its id: a UUID, or a number where the log has not been raised since an older version gave it that. */
  epoch: string;
  /** A bigint as text, as the driver gives it; below 0 where events were renumbered. */
  transactionId: string;
  id: string;
}

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const SHAPE = new RegExp(`^(\\d{1,9}|${UUID})\\.(-?\\d{1,19})\\.(${UUID})$`);

/** The place before every event. */
export const BEFORE_ALL_TRANSACTIONS = '-9223372036854775808';

/** The smallest id: a position with it stands before every event of its transaction. */
export const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';

export function encodeEventCursor({ epoch, transactionId, id }: EventPosition): string {
  return Buffer.from(`${epoch}.${transactionId}.${id}`).toString('base64url');
}

/** @throws RelayError invalid_params when the text is not a cursor of ours */
export function decodeEventCursor(cursor: string): EventPosition {
  const [, epoch, transactionId, id] = SHAPE.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? [];
  if (epoch === undefined || transactionId === undefined || id === undefined || !isBigint(transactionId)) {
    throw new RelayError('invalid_params', 'cursor is not one that this relay gave out; start again without it.', {
      field: 'cursor',
    });
  }
  return { epoch, transactionId, id };
}

function isBigint(digits: string): boolean {
  return BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

/** The log was restored, moved or shortened since the cursor was given out: going on from it would skip events. */
export function cursorExpired(): RelayError {
  return new RelayError(
    'cursor_expired',
    'The event log no longer reaches back to this cursor. Read your threads afresh with tasks/list, then start again without a cursor.',
  );
}
