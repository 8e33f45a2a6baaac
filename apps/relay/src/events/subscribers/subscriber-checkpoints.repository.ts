import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { type Transaction, UnitOfWork } from '../../database';
import { BEFORE_ALL_IDS } from '../event-cursor';
import { EVENT_VIEW, type EventView, HORIZON, WITH_NAMES } from '../event-reader.repository';

export interface TakenEvents {
  place: PlaceRow;
  events: EventView[];
}

@Injectable()
export class SubscriberCheckpointsRepository {
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
  async take(transaction: Transaction, name: string, limit: number): Promise<TakenEvents | undefined> {
    const [held] = await transaction.query<{ free: boolean }>(sql`
      SELECT pg_try_advisory_xact_lock(hashtext('event_subscribers'), hashtext(${name})) AS free`);
    if (held?.free !== true) return undefined;
    // A statement of its own, after the lock: the place is as whoever held it last has left it, in one snapshot with the events.
    const rows = await transaction.query<PlaceRow & { [Key in keyof EventView]: EventView[Key] | null }>(sql`
      WITH place AS MATERIALIZED (
        SELECT s.transaction_id AS "placeTransaction", s.event_id AS "placeId", r.epoch_id AS epoch
        FROM event_subscribers s, relay_state r WHERE s.name = ${name}
      )
      SELECT place.*, ${EVENT_VIEW} FROM place LEFT JOIN LATERAL (
        SELECT * FROM events
        WHERE (transaction_id, id) > (place."placeTransaction", place."placeId") AND transaction_id < ${HORIZON}
        ORDER BY transaction_id, id LIMIT ${limit}
      ) e ON true ${WITH_NAMES} ORDER BY e.transaction_id, e.id`);
    const [place] = rows;
    return place && { place, events: rows.filter((row) => row.id !== null) as (PlaceRow & EventView)[] };
  }

  /** Moves the place on, unless it is no longer where it was taken: the log was renumbered, or retention has passed it. */
  async move(
    transaction: Transaction,
    name: string,
    from: PlaceRow,
    { transactionId, id }: EventView,
  ): Promise<boolean> {
    const moved = await transaction.query(sql`
      UPDATE event_subscribers SET transaction_id = ${transactionId}::bigint, event_id = ${id}::uuid
      WHERE name = ${name} AND transaction_id = ${from.placeTransaction}::bigint AND event_id = ${from.placeId}::uuid
        AND EXISTS (SELECT FROM relay_state WHERE epoch_id = ${from.epoch})
      RETURNING 1`);
    return moved.length > 0;
  }

  /** Places that belong to none of these subscribers: of another version or extension, or left behind. */
  async others(names: readonly string[]): Promise<string[]> {
    const rows = await this.unitOfWork.query<{ name: string }>(sql`
      SELECT name FROM event_subscribers WHERE name <> ALL(${[...names]}::text[]) ORDER BY name`);
    return rows.map(({ name }) => name);
  }
}

/** Where a subscriber stood when its events were taken. */
export interface PlaceRow {
  placeTransaction: string;
  placeId: string;
  epoch: string;
}
