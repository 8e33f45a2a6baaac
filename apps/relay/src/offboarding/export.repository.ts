import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { UnitOfWork } from '../database';

/** Reads what belongs to one agent, in batches that stay small. */
@Injectable()
export class ExportRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Ids of the agent's threads after `after`, in order. */
  async threads(agentId: string, after: string, limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.query<{ id: string }>(sql`
      SELECT id FROM handoffs
      WHERE ${agentId}::uuid IN (sender_id, recipient_id) AND id > ${after}::uuid
      ORDER BY id LIMIT ${limit}`);
    return rows.map(({ id }) => id);
  }
}
