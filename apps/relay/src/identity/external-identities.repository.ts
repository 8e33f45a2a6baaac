import { Injectable } from '@nestjs/common';
import sql from 'sql-template-tag';
import { UnitOfWork } from '../database';

@Injectable()
export class ExternalIdentitiesRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  async findActive(handle: string): Promise<{ id: string; handle: string } | undefined> {
    const [row] = await this.unitOfWork.query<{ id: string; handle: string }>(sql`
      SELECT id, handle FROM agents WHERE handle = ${handle} AND status = 'active'`);
    return row;
  }

  async isActive(agentId: string): Promise<boolean> {
    const rows = await this.unitOfWork.query(sql`SELECT FROM agents WHERE id = ${agentId}::uuid AND status = 'active'`);
    return rows.length > 0;
  }
}
