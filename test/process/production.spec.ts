import { join } from 'node:path';
import { ChildProgram, freePort, testSettings, useRelay } from '@agentrelay/testing';
import { startRelayProcess } from './relay-process';

const DIST = join(__dirname, '../../dist/apps/relay/src');
const relay = useRelay();

function production(): Record<string, string> {
  return {
    ...testSettings(relay.database.url),
    RELAY_ENV: 'production',
    RELAY_PUBLIC_URL: 'https://relay.acme.dev',
    RELAY_KEY_PEPPERS: 'p1:k9Zf2Lw7Qm4Xv8Tr1Bn6Hs3Jd5Gc0Yp+',
  };
}

describe('in production', () => {
  it('a database that may forget what was acknowledged stops the start, and says how to go on', async () => {
    // The tests' own cluster runs with all three off.
    const program = ChildProgram.start(join(DIST, 'main.js'), production());
    expect(await program.exit()).toBe(1);
    expect(program.printed).toContain('The database runs with fsync, full_page_writes, synchronous_commit off');
    expect(program.printed).toContain('RELAY_ALLOW_UNSAFE_DURABILITY=true');
  });

  it('RELAY_ALLOW_UNSAFE_DURABILITY lets it serve all the same, and the log warns', async () => {
    const port = await freePort();
    const settings = { ...production(), PORT: String(port), RELAY_ALLOW_UNSAFE_DURABILITY: 'true', LOG_LEVEL: 'warn' };
    const program = await startRelayProcess(settings, `http://127.0.0.1:${port}`);
    await program.prints(/a crash could lose handoffs that were acknowledged/);
    program.kill('SIGTERM');
    expect(await program.exit()).toBe(0);
  });

  it('migrations go to DATABASE_DIRECT_URL', async () => {
    const settings = { ...production(), DATABASE_DIRECT_URL: 'postgres://nobody@127.0.0.1:1/nothing' };
    const program = ChildProgram.start(join(DIST, 'main.js'), settings);
    expect(await program.exit()).toBe(1);
    expect(program.printed).toContain('127.0.0.1:1');
  });
});

describe('the operator’s programs', () => {
  it('migrate.js says when there is nothing to do', async () => {
    const program = ChildProgram.start(join(DIST, 'migrate.js'), production());
    expect(await program.exit()).toBe(0);
    expect(program.printed).toBe('The schema is current.\n');
  });

  it('raise-epoch.js voids every cursor into the event log', async () => {
    const { frank } = await relay.pair();
    const { cursor } = await frank.call<{ cursor: string }>('events/list');
    const program = ChildProgram.start(join(DIST, 'raise-epoch.js'), production());
    expect(await program.exit()).toBe(0);
    expect(program.printed).toMatch(/^The event log is in epoch \d+; /);
    expect(await frank.refusal('events/list', { cursor })).toMatchObject({ symbol: 'cursor_expired' });
  });
});
