import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { type Transaction, UnitOfWork } from '../../database';
import { BEFORE_ALL_IDS } from '../event-cursor';
import { EVENT_VIEW, type EventView, HORIZON, WITH_NAMES } from '../event-reader.repository';

@Injectable()
export class SubscriberPlacesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Gives a new subscriber its place: what was written before it came is not for it. */
  async open(name: string): Promise<void> {
    await this.unitOfWork.query(sql`
      INSERT INTO event_subscribers (name, transaction_id, event_id)
      VALUES (${name}, ${HORIZON}, ${BEFORE_ALL_IDS}::uuid) ON CONFLICT DO NOTHING`);
  }

  /**
   * Holds the subscriber's place until the end of the transaction, and returns the next events after it; undefined while
   * another replica holds it. The lock is none of a row: that would give the transaction an id, and keep every reader of the
   * log waiting for as long as the subscriber works.
   */
  async take(transaction: Transaction, name: string, limit: number): Promise<EventView[] | undefined> {
    const [held] = await transaction.query<{ free: boolean }>(sql`
      SELECT pg_try_advisory_xact_lock(hashtext('event_subscribers'), hashtext(${name})) AS free`);
    if (held?.free !== true) return undefined;
    // The place is read by a statement of its own, after the lock: as whoever held it last has left it.
    const [place] = await transaction.query<{ transaction_id: string; event_id: string }>(sql`
      SELECT transaction_id, event_id FROM event_subscribers WHERE name = ${name}`);
    if (place === undefined) return undefined;
    return transaction.query<EventView>(sql`
      SELECT ${EVENT_VIEW} FROM (
        SELECT * FROM events
        WHERE (transaction_id, id) > (${place.transaction_id}::bigint, ${place.event_id}::uuid) AND transaction_id < ${HORIZON}
        ORDER BY transaction_id, id LIMIT ${limit}
      ) e ${WITH_NAMES} ORDER BY e.transaction_id, e.id`);
  }

  async moveTo(transaction: Transaction, name: string, { transactionId, id }: EventView): Promise<void> {
    await transaction.query(sql`
      UPDATE event_subscribers SET transaction_id = ${transactionId}::bigint, event_id = ${id}::uuid WHERE name = ${name}`);
  }
}
