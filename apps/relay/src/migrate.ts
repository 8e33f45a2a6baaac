import { readSettings } from './config';
import { migrate } from './database';

/** The migration Job: applies what is pending and exits. */
async function main(): Promise<void> {
  const settings = readSettings(process.env);
  const applied = await migrate(settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL);
  process.stdout.write(applied.length === 0 ? 'The schema is current.\n' : `Applied ${applied.join(', ')}.\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
