import { Injectable } from '@nestjs/common';
import type { Sql } from 'sql-template-tag';
import { DatabaseConfig } from '../config';
import { onOwnConnection } from './database-errors';
import { GuardedClient } from './guarded-client';

/** Without the limits that the role or the database sets: they are meant for requests. */
const BEGIN = `START TRANSACTION ISOLATION LEVEL READ COMMITTED;
  SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`;

/** What can be asked inside a piece of maintenance work. */
export interface Statements {
  query<Row extends object>(statement: Sql): Promise<Row[]>;
}

/** Work of a kind that takes as long as it takes: on a connection of its own, past any pooler, without the limits of requests. */
@Injectable()
export class MaintenanceConnection {
  constructor(private readonly config: DatabaseConfig) {}

  /** Runs `work` in one transaction; an error rolls it back and is thrown on. */
  run<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    return onOwnConnection(() => this.inTransaction(work));
  }

  private async inTransaction<Result>(work: (statements: Statements) => Promise<Result>): Promise<Result> {
    const client = new GuardedClient({
      connectionString: this.config.directUrl,
      application_name: 'agentrelay-maintenance',
    });
    // A connection that breaks fails the statement that is under way.
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query(BEGIN);
      const result = await work({
        query: async <Row extends object>({ text, values }: Sql) => (await client.query<Row>({ text, values })).rows,
      });
      await client.query('COMMIT');
      return result;
    } finally {
      // What was not committed is rolled back with it.
      await client.end();
    }
  }
}
