import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import type { Client, QueryConfig } from 'pg';
import type { Sql } from 'sql-template-tag';
import {
  DataSource,
  type EntityManager,
  type EntityTarget,
  type FindManyOptions,
  type ObjectLiteral,
  type QueryRunner,
  TypeORMError,
} from 'typeorm';
import { DatabaseConfig } from '../config';
import { statementSpan, traced } from '../tracing';
import { isUnanswered, markOwn, onOwnConnection } from './database-errors';

/** Statements of the relay are few but long: each is parsed and planned once per connection, under a name made from its text. */
const names = new LRUCache<string, string>({ max: 1_000 });

const BEGIN = 'START TRANSACTION ISOLATION LEVEL READ COMMITTED';

type Statement = (statement: Sql) => QueryConfig;

function prepared({ text, values }: Sql): QueryConfig {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('base64url');
    names.set(text, name);
  }
  return { name, text, values };
}

/** Through a pooler the next transaction may run on another connection, which does not know the name. */
function unprepared({ text, values }: Sql): QueryConfig {
  return { text, values };
}

/** One open transaction. Repositories take it to take part in the caller's unit of work. */
export class Transaction {
  private readonly done: (() => void)[] = [];

  constructor(
    private readonly client: Client,
    readonly manager: EntityManager,
    private readonly toQuery: Statement,
  ) {}

  /** Calls `listener` once this transaction is committed, and never when it is not. It must not throw. */
  afterCommit(listener: () => void): void {
    this.done.push(listener);
  }

  /** For the unit of work alone. */
  committed(): void {
    for (const listener of this.done) listener();
  }

  /** Runs one statement in this transaction and returns its rows. */
  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    const { rows } = await traced(statementSpan(statement.text), () =>
      onOwnConnection(() => this.client.query<Row>(this.toQuery(statement))),
    );
    return rows;
  }
}

/** The one way to the database: what runs in one `run` is committed as a whole or not at all. */
@Injectable()
export class UnitOfWork {
  private readonly commitListeners: (() => void)[] = [];
  private readonly toQuery: Statement;
  /** What a connection past a pooler is told once, at its start, each transaction through a pooler sets for itself. */
  private readonly transactionSettings: string | undefined;

  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    { pooled, statementTimeoutMs }: DatabaseConfig,
  ) {
    this.toQuery = pooled ? unprepared : prepared;
    this.transactionSettings = pooled
      ? `SET LOCAL statement_timeout = ${statementTimeoutMs}; SET LOCAL idle_in_transaction_session_timeout = ${statementTimeoutMs}`
      : undefined;
  }

  /** Calls `listener` after every commit; it must not throw, and the work it starts is its own affair. */
  onCommit(listener: () => void): void {
    this.commitListeners.push(listener);
  }

  /**
   * Runs `work` in a READ COMMITTED transaction; an error rolls it back and is thrown on. `isNews` says of what came of it
   * whether anybody has to be told that something was committed.
   */
  async run<Result>(
    work: (transaction: Transaction) => Promise<Result>,
    isNews: (result: Result) => boolean = () => true,
  ): Promise<Result> {
    const result = await this.inTransaction(work);
    if (isNews(result)) for (const listener of this.commitListeners) listener();
    return result;
  }

  /** Runs one statement on its own and returns its rows. */
  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    if (this.transactionSettings !== undefined) return this.inTransaction((only) => only.query<Row>(statement));
    return traced(statementSpan(statement.text), () =>
      this.connected((client) => onOwnConnection(async () => (await client.query<Row>(this.toQuery(statement))).rows)),
    );
  }

  /** Reads entities outside any transaction. */
  async read<Entity extends ObjectLiteral>(
    entity: EntityTarget<Entity>,
    options: FindManyOptions<Entity>,
  ): Promise<Entity[]> {
    return this.connected((_client, runner) => onOwnConnection(() => runner.manager.find(entity, options)));
  }

  private inTransaction<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    return this.connected(async (client, runner) => {
      await onOwnConnection(() => this.begin(client, runner));
      const transaction = new Transaction(client, runner.manager, this.toQuery);
      const result = await work(transaction).catch((error: unknown) => {
        // What asks through TypeORM's manager asks this connection too.
        if (error instanceof TypeORMError) markOwn(error);
        throw error;
      });
      await onOwnConnection(() => runner.commitTransaction());
      transaction.committed();
      return result;
    });
  }

  /**
   * A transaction is READ COMMITTED whatever the database's default is: a statement that waited for a lock has to see what its
   * holder wrote. TypeORM would send that as a statement of its own.
   */
  private async begin(client: Client, runner: QueryRunner): Promise<void> {
    await client.query(BEGIN);
    Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
    if (this.transactionSettings !== undefined) await client.query(this.transactionSettings);
  }

  /** Lends a connection. After an error it is rolled back; where it cannot be, it is closed, and nobody else gets it. */
  private async connected<Result>(work: (client: Client, runner: QueryRunner) => Promise<Result>): Promise<Result> {
    const runner = this.dataSource.createQueryRunner();
    const client = await onOwnConnection(async () => (await runner.connect()) as Client);
    try {
      return await work(client, runner);
    } catch (error) {
      if (isUnanswered(error) || !(await rolledBack(runner))) void client.end();
      throw error;
    } finally {
      await runner.release();
    }
  }
}

/** Ends the transaction, if there is one. A failure here only says that the connection broke: the first error is the one to tell. */
async function rolledBack(runner: QueryRunner): Promise<boolean> {
  if (!runner.isTransactionActive) return true;
  return runner.rollbackTransaction().then(
    () => true,
    () => false,
  );
}
