import { sql, UnitOfWork } from '@agentrelay/extension';
import { Injectable, type OnModuleInit } from '@nestjs/common';

export interface Freeze {
  reason: string;
  until: Date;
}

/** The extension's own tables, in the relay's database. Their names begin with the extension's, so that they never clash. */
@Injectable()
export class FreezeStore implements OnModuleInit {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** Replicas start at once: one of them goes first, and each statement stands being run again. */
  async onModuleInit(): Promise<void> {
    await this.unitOfWork.run(async (transaction) => {
      await transaction.query(sql`SELECT pg_advisory_xact_lock(hashtext('change_freeze'))`);
      await transaction.query(sql`
        CREATE TABLE IF NOT EXISTS change_freeze (
          singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
          reason text NOT NULL,
          until timestamptz NOT NULL)`);
      await transaction.query(sql`
        CREATE TABLE IF NOT EXISTS change_freeze_tally (intent text PRIMARY KEY, sent bigint NOT NULL)`);
    });
  }

  /** The freeze that is on, if one is. */
  async current(): Promise<Freeze | undefined> {
    const [freeze] = await this.unitOfWork.query<Freeze>(sql`
      SELECT reason, until FROM change_freeze WHERE until > now()`);
    return freeze;
  }

  async announce({ reason, minutes }: { reason: string; minutes: number }): Promise<void> {
    await this.unitOfWork.query(sql`
      INSERT INTO change_freeze (reason, until) VALUES (${reason}, now() + make_interval(mins => ${minutes}))
      ON CONFLICT (singleton) DO UPDATE SET reason = excluded.reason, until = excluded.until`);
  }

  async tally(): Promise<Record<string, number>> {
    const rows = await this.unitOfWork.query<{ intent: string; sent: string }>(sql`
      SELECT intent, sent FROM change_freeze_tally`);
    return Object.fromEntries(rows.map(({ intent, sent }) => [intent, Number(sent)]));
  }
}
