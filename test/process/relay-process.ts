import { join } from 'node:path';
import { ChildProgram, eventually } from '@agentrelay/testing';

const PROGRAM = join(__dirname, '../../dist/apps/relay/src/main.js');

/** Starts the relay's own program and waits until it serves. */
export async function startRelayProcess(
  environment: Record<string, string>,
  url: string,
  options: { cwd?: string } = {},
): Promise<ChildProgram> {
  const relay = ChildProgram.start(PROGRAM, environment, options);
  await eventually(
    'the relay serves',
    async () => {
      if (!relay.isRunning) throw new Error(`The relay ended: ${relay.printed}`);
      const answer = await fetch(`${url}/readyz`).catch(() => undefined);
      return answer?.ok;
    },
    30_000,
  );
  return relay;
}
