import type { TestAgent } from '../../../libs/testing/src/test-agent';
import { openStream, type OpenWaiter } from '../../bench/waiters';
import { atMost } from '../../bench/table';
import { type Attack, inParallel, register, type Scene } from '../scene';

const KEYS = 60;
const CALLS = 2_400;
const WORKERS = 24;
/** The rate of the settings below: what may be answered in a time. */
const PER_MINUTE = 600;
const BURST = 100;
const STREAMS = 300;
const STREAMS_ALLOWED = 10;
const LIVE_KEYS = 10;
const CONNECTED_MS = 3_000;

/** One key makes as many others as it can, and calls with all of them at once. */
export const manyKeys: Attack = {
  name: 'many keys of one agent',
  settings: { RELAY_RATE_PER_MINUTE: String(PER_MINUTE), RELAY_RATE_BURST: String(BURST) },
  async run(scene) {
    const agent = await register(scene, 'keymaker@acme');
    const made = await makeKeys(agent);
    const keys = await living(made);
    scene.ledger.figure(
      'keys that live at once',
      keys.length,
      String(keys.length),
      atMost(LIVE_KEYS, String(LIVE_KEYS)),
    );
    // The keys made here have spent the agent's calls: the attack is on what comes back each second.
    await callWithAll(scene, keys);
    await streamWithAll(scene, keys);
  },
};

/** Rotates again and again, asking each time that the others stay. */
async function makeKeys(agent: TestAgent): Promise<TestAgent[]> {
  const keys = [agent];
  for (let n = 0; n < KEYS; n++) {
    const terms = { overlap_seconds: 3_600, keep_others: true };
    let answer = await keys.at(-1)!.rest<{ api_key?: string }>('POST', '/agents/me/keys/rotate', terms);
    // Relays without the option refuse it by name.
    if (answer.status === 400) answer = await agent.rest('POST', '/agents/me/keys/rotate', { overlap_seconds: 3_600 });
    if (answer.body.api_key === undefined) break;
    keys.push(agent.withKey(answer.body.api_key));
  }
  return keys;
}

async function living(keys: TestAgent[]): Promise<TestAgent[]> {
  const alive: TestAgent[] = [];
  for (const key of keys) if ((await key.rest('GET', '/agents/me')).status !== 401) alive.push(key);
  return alive;
}

async function callWithAll({ ledger, say }: Scene, keys: TestAgent[]): Promise<void> {
  const since = performance.now();
  const outcomes: Record<string, number> = {};
  await inParallel(Array(CALLS).keys(), WORKERS, async (n) => {
    const { status } = await keys[n % keys.length]!.rpc('agents/list', {});
    outcomes[status] = (outcomes[status] ?? 0) + 1;
  });
  const seconds = (performance.now() - since) / 1_000;
  const allowed = BURST + (PER_MINUTE / 60) * seconds + 1;
  const answered = outcomes['200'] ?? 0;
  say(`  ${CALLS} calls in ${seconds.toFixed(1)} s: ${JSON.stringify(outcomes)}`);
  ledger.figure(
    `calls answered in ${seconds.toFixed(1)} s with all keys together`,
    answered,
    String(answered),
    atMost(allowed, `${Math.floor(allowed)}, the rate of one agent`),
  );
}

async function streamWithAll({ relay, ledger }: Scene, keys: TestAgent[]): Promise<void> {
  // The calls have spent what the agent may do; streams are asked for until each key had its chance.
  const open: OpenWaiter[] = [];
  await inParallel(Array(STREAMS).keys(), 10, async (n) => {
    const opened = await Promise.race([
      openStream(relay.url, keys[n % keys.length]!.apiKey).catch(() => undefined),
      new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), CONNECTED_MS)),
    ]);
    if (opened !== undefined) open.push(opened);
    else await new Promise((resolve) => setTimeout(resolve, 200));
  });
  for (const stream of open) stream.close();
  ledger.figure(
    `streams of ${STREAMS} that stand at once`,
    open.length,
    String(open.length),
    atMost(STREAMS_ALLOWED, String(STREAMS_ALLOWED)),
  );
}
