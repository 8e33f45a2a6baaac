import { bootRelay } from './boot';

/** Boot only: a relay that cannot start says why on stderr and exits. */
bootRelay(process.env).catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
});
