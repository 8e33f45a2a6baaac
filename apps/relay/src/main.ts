import { bootRelay } from './boot';
import { exitOnSignal } from './exit-on-signal';

/** Boot only: a relay that cannot start says why on stderr and exits. */
bootRelay(process.env).then(
  ({ app }) => exitOnSignal(() => app.close()),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
