import { Injectable } from '@nestjs/common';
import type { Client } from 'pg';
import type { Sql } from 'sql-template-tag';

/** Asks one statement, on whatever connection. */
export type Ask = <Row extends object>(statement: Sql) => Promise<Row[]>;

/** What a database connection has to pass before anybody uses it. */
export type ConnectionCheck = (ask: Ask) => Promise<void>;

/** Looks at every new database connection of this replica: each may lead to another server than the last. */
@Injectable()
export class NewConnections {
  private readonly checks: ConnectionCheck[] = [];

  /** Adds a check. A connection that it rejects is closed, and whoever asked for one gets its error. */
  onNew(check: ConnectionCheck): void {
    this.checks.push(check);
  }

  /** @throws whatever the first check throws that does not let the connection pass */
  async admit(client: Client): Promise<void> {
    const ask: Ask = async <Row extends object>({ text, values }: Sql) =>
      (await client.query<Row>({ text, values })).rows;
    for (const check of this.checks) await check(ask);
  }
}
