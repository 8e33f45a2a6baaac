import { join } from 'node:path';
import { ChildProgram, createDatabase, freePort, testSettings } from '@agentrelay/testing';
import { startRelayProcess } from './relay-process';

const RELAY = join(__dirname, '../../dist/apps/relay/src/main.js');

describe('starting the relay', () => {
  it('three processes at once on an empty database all come up', async () => {
    const database = await createDatabase(`agentrelay_test_empty_${process.env['JEST_WORKER_ID'] ?? '0'}`, 'empty');
    const ports = [await freePort(), await freePort(), await freePort()];
    const relays = await Promise.all(
      ports.map((port) =>
        startRelayProcess({ ...testSettings(database.url), PORT: String(port) }, `http://127.0.0.1:${port}`),
      ),
    );
    for (const relay of relays) relay.kill('SIGTERM');
    expect(await Promise.all(relays.map((relay) => relay.exit()))).toEqual([0, 0, 0]);
    await database.close();
  });

  it('with wrong settings says all that is wrong and exits with 1', async () => {
    const program = ChildProgram.start(RELAY, { PORT: 'eighty', RELAY_ADMIN_TOKEN: 'short' });
    expect(await program.exit()).toBe(1);
    for (const name of ['PORT', 'RELAY_ADMIN_TOKEN', 'DATABASE_URL', 'RELAY_KEY_PEPPERS']) {
      expect(program.printed).toContain(`  - ${name}`);
    }
  });
});
