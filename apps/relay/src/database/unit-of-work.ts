import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { LRUCache } from 'lru-cache';
import type { PoolClient, QueryConfig } from 'pg';
import type { Sql } from 'sql-template-tag';
import { DataSource, type EntityManager, type EntityTarget, type FindManyOptions, type ObjectLiteral } from 'typeorm';

import { statementSpan, traced } from '../tracing';

/** Statements of the relay are few but long: each is parsed and planned once per connection, under a name made from its text. */
const names = new LRUCache<string, string>({ max: 1_000 });

function prepared({ text, values }: Sql): QueryConfig {
  let name = names.get(text);
  if (name === undefined) {
    name = createHash('sha1').update(text).digest('base64url');
    names.set(text, name);
  }
  return { name, text, values };
}

/** One open transaction. Repositories take it to take part in the caller's unit of work. */
export class Transaction {
  private readonly done: (() => void)[] = [];

  constructor(
    private readonly client: PoolClient,
    readonly manager: EntityManager,
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
    const { rows } = await traced(statementSpan(statement.text), () => this.client.query<Row>(prepared(statement)));
    return rows;
  }
}

/** The one door to the database: what runs in one `run` is committed as a whole or not at all. */
@Injectable()
export class UnitOfWork {
  private readonly commitListeners: (() => void)[] = [];

  constructor(@InjectDataSource() private readonly dataSource: DataSource) {}

  /** Calls `listener` after every commit; it must not throw, and the work it starts is its own affair. */
  onCommit(listener: () => void): void {
    this.commitListeners.push(listener);
  }

  /** Runs `work` in a READ COMMITTED transaction; an error rolls it back and is thrown on. */
  async run<Result>(work: (transaction: Transaction) => Promise<Result>): Promise<Result> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as PoolClient;
      await runner.startTransaction();
      const transaction = new Transaction(client, runner.manager);
      const result = await work(transaction);
      await runner.commitTransaction();
      transaction.committed();
      for (const listener of this.commitListeners) listener();
      return result;
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      throw error;
    } finally {
      await runner.release();
    }
  }

  /** Runs one statement on its own and returns its rows. */
  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    const runner = this.dataSource.createQueryRunner();
    try {
      const client = (await runner.connect()) as PoolClient;
      const { rows } = await traced(statementSpan(statement.text), () => client.query<Row>(prepared(statement)));
      return rows;
    } finally {
      await runner.release();
    }
  }

  /** Reads entities outside any transaction. */
  async read<Entity extends ObjectLiteral>(
    entity: EntityTarget<Entity>,
    options: FindManyOptions<Entity>,
  ): Promise<Entity[]> {
    return this.dataSource.manager.find(entity, options);
  }
}
