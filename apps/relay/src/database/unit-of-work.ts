import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { PoolClient } from 'pg';
import type { Sql } from 'sql-template-tag';
import { DataSource, type EntityManager, type EntityTarget, type FindManyOptions, type ObjectLiteral } from 'typeorm';

/** One open transaction. Repositories take it to take part in the caller's unit of work. */
export class Transaction {
  constructor(
    private readonly client: PoolClient,
    readonly manager: EntityManager,
  ) {}

  /** Runs one statement in this transaction and returns its rows. */
  async query<Row extends object>(statement: Sql): Promise<Row[]> {
    const { rows } = await this.client.query<Row>({ text: statement.text, values: statement.values });
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
      const result = await work(new Transaction(client, runner.manager));
      await runner.commitTransaction();
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
      // Plain results of UPDATE and DELETE are no rows but a pair of rows and their number.
      const { records } = await runner.query(statement.text, statement.values, true);
      return records as Row[];
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
