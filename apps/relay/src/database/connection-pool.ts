import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Pool } from 'pg';
import { DataSource } from 'typeorm';

/** How busy this replica's database connections are. */
@Injectable()
export class ConnectionPool {
  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Open connections, those of them that are idle, and requests that wait for one. */
  get usage(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = (this.dataSource.driver as unknown as { master: Pool }).master;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }
}
