import 'reflect-metadata';
import { DataSource } from 'typeorm';
import { DatabaseConfig, readSettings } from './config';
import { dataSourceOptions, SchemaVersion, UnitOfWork } from './database';
import { LogEpochRepository } from './events';

/** For operators, after a restore that kept the cluster's identity: voids all event cursors. */
async function main(): Promise<void> {
  const config = new DatabaseConfig(readSettings(process.env));
  const dataSource = new DataSource(dataSourceOptions({ url: config.directUrl, poolSize: 1 }));
  await dataSource.initialize();
  const unitOfWork = new UnitOfWork(dataSource, config);
  const epoch = await new LogEpochRepository(unitOfWork, new SchemaVersion(unitOfWork)).raise();
  await dataSource.destroy();
  process.stdout.write(`The event log is in epoch ${epoch}; clients start afresh at their next read.\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
