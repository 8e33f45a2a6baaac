import {
  type ChildProgram,
  createDatabase,
  freePort,
  TEST_ADMIN_TOKEN,
  type TestDatabase,
  testSettings,
} from '@agentrelay/testing';
import { startRelayProcess } from '../process/relay-process';
import { fuzz } from './campaign';
import { residentMiB } from './resident-memory';
import { assemble, servesAHandoff } from './target';

/** `FUZZ_REQUESTS` and `FUZZ_SEED` choose another length and another beginning. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 100_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
/** After this part of the requests the relay is warm; from then on it may grow by so much. */
const WARM = 0.1;
const MAY_GROW = 1.3;

let database: TestDatabase;
let relay: ChildProgram;
let url: string;

beforeAll(async () => {
  database = await createDatabase('agentrelay_test_fuzz', 'migrated');
  const port = await freePort();
  url = `http://127.0.0.1:${port}`;
  relay = await startRelayProcess({ ...testSettings(database.url), LOG_LEVEL: 'error', PORT: String(port) }, url);
});

afterAll(async () => {
  relay.kill('SIGTERM');
  await relay.exit();
  await database.close();
});

describe('a relay in a process of its own', () => {
  it(`keeps its rules and its memory over ${REQUESTS} hostile requests (seed ${SEED})`, async () => {
    const target = await assemble(url, TEST_ADMIN_TOKEN, database);
    const memory = { start: residentMiB(relay.pid), warm: 0, end: 0 };
    const { faults, byStatus, seconds } = await fuzz(target, {
      requests: REQUESTS,
      seed: SEED,
      progress: (done) => {
        memory.end = residentMiB(relay.pid);
        if (memory.warm === 0 && done >= REQUESTS * WARM) memory.warm = memory.end;
      },
    });
    process.stderr.write(
      `${REQUESTS} requests, seed ${SEED}, ${Math.round(REQUESTS / seconds)}/s\n` +
        `by status ${JSON.stringify(byStatus)}\n` +
        `resident MiB ${JSON.stringify(memory)}\n` +
        relay.printed.slice(-5_000),
    );
    expect(faults).toEqual([]);
    expect(await servesAHandoff(target)).toBe('completed');
    expect(memory.end).toBeLessThan(memory.warm * MAY_GROW);
  });
});
