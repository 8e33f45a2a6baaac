import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { UnitOfWork } from '../database';
import { HORIZON } from '../events';

/** Counting stops here, so that a scrape never costs more. */
const MOST = 100_000;
const MOST_SUBSCRIBERS = 100;

export interface TeamState {
  pending: number;
  accepted: number;
  /** Seconds; 0 when nothing is pending. */
  oldest_pending: number;
  /** Seconds for which the oldest event that is committed, but not yet to be read, has waited. */
  horizon_lag: number;
  subscribers: { name: string; declared: boolean; lag: number; missed: number }[];
}

/** What the whole team's relay looks like, in one statement over indexes of what is open. */
@Injectable()
export class TeamStateRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** `subscribers` are those that this relay declares: of others, long gone, only a place may be left. */
  async read(subscribers: readonly string[]): Promise<TeamState> {
    const [state] = await this.unitOfWork.query<TeamState>(sql`
      SELECT
        (SELECT count(*)::integer FROM (SELECT FROM handoffs WHERE status = 'pending' LIMIT ${MOST}) p) AS pending,
        (SELECT count(*)::integer FROM (SELECT FROM handoffs WHERE status = 'accepted' LIMIT ${MOST}) a) AS accepted,
        coalesce(extract(epoch FROM now() - (SELECT min(created_at) FROM handoffs WHERE status = 'pending')), 0)::float8 AS oldest_pending,
        coalesce(extract(epoch FROM now() - (SELECT created_at FROM events WHERE transaction_id >= ${HORIZON}
          ORDER BY transaction_id, id LIMIT 1)), 0)::float8 AS horizon_lag,
        coalesce((SELECT json_agg(json_build_object('name', s.name, 'declared', s.name = ANY(${[...subscribers]}::text[]),
            'missed', s.missed_events, 'lag', coalesce(extract(epoch FROM now() - (
            SELECT e.created_at FROM events e WHERE (e.transaction_id, e.id) > (s.transaction_id, s.event_id)
            ORDER BY e.transaction_id, e.id LIMIT 1)), 0)::float8))
          FROM (SELECT * FROM event_subscribers ORDER BY transaction_id, event_id LIMIT ${MOST_SUBSCRIBERS}) s), '[]') AS subscribers`);
    if (state === undefined) throw new Error('The statement yields one row.');
    return state;
  }
}
