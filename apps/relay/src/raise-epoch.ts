import 'reflect-metadata';
import { DatabaseConfig, readSettings } from './config';
import { MaintenanceConnection } from './database';
import { LogEpochRepository } from './events';

/** For operators, after a restore that kept the cluster's identity: voids all event cursors. */
async function main(): Promise<void> {
  const maintenance = new MaintenanceConnection(new DatabaseConfig(readSettings(process.env)));
  const epoch = await new LogEpochRepository(maintenance).raise();
  process.stdout.write(`The event log is in epoch ${epoch}; clients start afresh at their next read.\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
