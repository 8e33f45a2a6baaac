import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DatabaseConfig } from '../config';
import { UnitOfWork } from './unit-of-work';

/** PostgreSQL settings without which an acknowledged write can be lost in a crash. */
const NEEDED = ['fsync', 'full_page_writes', 'synchronous_commit'];

/** Refuses to serve a production relay on a database that may forget what it acknowledged. */
@Injectable()
export class DurabilityCheck implements OnApplicationBootstrap {
  private readonly logger = new Logger(DurabilityCheck.name);

  constructor(
    private readonly config: DatabaseConfig,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  /** @throws Error naming the settings that are off */
  async onApplicationBootstrap(): Promise<void> {
    if (this.config.durability === 'unchecked') return;
    const off = await this.unitOfWork.query<{ name: string }>(sql`
      SELECT name FROM pg_settings WHERE name = ANY(${NEEDED}::text[]) AND setting = 'off' ORDER BY name`);
    if (off.length === 0) return;
    const message = `The database runs with ${off.map(({ name }) => name).join(', ')} off: a crash could lose handoffs that were acknowledged.`;
    if (this.config.durability === 'required') {
      throw new Error(
        `${message} Switch it on, or set RELAY_ALLOW_UNSAFE_DURABILITY=true where your provider vouches for it.`,
      );
    }
    this.logger.warn(`${message} RELAY_ALLOW_UNSAFE_DURABILITY lets it serve all the same.`);
  }
}
