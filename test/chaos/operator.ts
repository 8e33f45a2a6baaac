import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ChildProgram } from '../../libs/testing/src/child-program';

const RAISE_EPOCH = resolve('dist/apps/relay/src/raise-epoch.js');
/** How long a program may fail because the database is away: a fault may strike it at the same time. */
const AWAY_LIMIT_MS = 30_000;
const AGAIN_MS = 500;

/** Whoever runs the relay, and the programs that are run by hand. */
export class Operator {
  /** What its programs did that they must not. */
  readonly misdeeds: string[] = [];

  constructor(private readonly environment: Record<string, string>) {}

  /** Voids all cursors, as after a restore; again while the database is away. */
  async raiseEpoch(): Promise<void> {
    for (const end = Date.now() + AWAY_LIMIT_MS; ; await pause(AGAIN_MS)) {
      const program = ChildProgram.start(RAISE_EPOCH, this.environment);
      if ((await program.exit()) === 0) return;
      if (Date.now() < end) continue;
      this.misdeeds.push(`raise-epoch.js did not succeed within ${AWAY_LIMIT_MS} ms: ${program.printed.slice(-500)}`);
      return;
    }
  }
}
