import type { WireMessage, WireRpcError, WireThread } from '@agentrelay/protocol';
import {
  type ChildProgram,
  createDatabase,
  freePort,
  registerAgent,
  TcpProxy,
  TEST_ADMIN_TOKEN,
  type TestAgent,
  type TestDatabase,
  testSettings,
} from '@agentrelay/testing';
import { peakMiB } from '../attack/process-figures';
import { startRelayProcess } from './relay-process';

const MIB = 1024 * 1024;
const HEAP_MIB = 256;
const PEAK_MIB = 512;
const ANSWER_BYTES = 8 * MIB;
/** What reading one part may move from PostgreSQL. */
const PART_BYTES = 16 * MIB;

const DIFF = { type: 'file_diff', path: 'a.ts', diff: 'x'.repeat(1_020_000) };
/** About 3.9 MiB. */
const ARTIFACTS = [DIFF, DIFF, DIFF, DIFF];

export interface Extent {
  /** How many messages of 3.9 MiB are sent. */
  messages: number;
  /** What the thread may hold, in MiB. */
  threadMiB: number;
  /** How many honest readers read the whole thread at once. */
  readers: number;
  timeoutMs: number;
}

/** Declares a test that fills a thread and reads it, on a built relay with a small heap whose traffic with PostgreSQL is counted. */
export function proveFullThread({ messages, threadMiB, readers, timeoutMs }: Extent): void {
  let database: TestDatabase;
  let proxy: TcpProxy;
  let relay: ChildProgram;
  let bob: TestAgent;
  let frank: TestAgent;

  beforeAll(async () => {
    database = await createDatabase(`agentrelay_full_thread_${process.env['JEST_WORKER_ID'] ?? '0'}`, 'migrated');
    const through = new URL(database.url);
    proxy = new TcpProxy(Number(through.port));
    through.hostname = '127.0.0.1';
    through.port = String(await proxy.listen());
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const settings = {
      ...testSettings(through.href),
      NODE_OPTIONS: `--max-old-space-size=${HEAP_MIB}`,
      RELAY_LIMIT_THREAD_BYTES: String(threadMiB * MIB),
      PORT: String(port),
    };
    relay = await startRelayProcess(settings, url);
    bob = await registerAgent(url, TEST_ADMIN_TOKEN, 'bob@acme');
    frank = await registerAgent(url, TEST_ADMIN_TOKEN, 'frank@acme');
  }, 60_000);

  afterAll(async () => {
    relay.kill('SIGTERM');
    await relay.exit();
    proxy.close();
    await database.close();
  });

  it(
    'is full where its limit says, reads in parts as it was written, and many readers harm nobody',
    async () => {
      const { task_id: id } = await bob.send('frank@acme');
      const { kept, refusals } = await fill(bob, id, messages);
      // Each takes more than 3.89 and less than 3.95 MiB, and the last that fits is taken.
      expect(kept).toEqual(numbersFrom(2, Math.floor(threadMiB / 3.9)));
      expect(refusals).toHaveLength(messages - kept.length);
      expect(refusals[0]).toMatchObject({
        data: { code: 'invalid_params', details: { limit_bytes: threadMiB * MIB } },
        message: expect.stringMatching(/holds at most .* bytes.*complete the thread and send a new handoff/) as string,
      });

      const before = proxy.bytesToClients;
      expect((await frank.get(id)).messages).toHaveLength(3);
      expect(proxy.bytesToClients - before).toBeLessThanOrEqual(PART_BYTES);

      const read: number[] = [];
      await readAll(frank, id, ({ sequence_no: number, body, artifacts }) => {
        read.push(number);
        if (number > 1) expect([body, artifacts]).toEqual([`message ${number}`, ARTIFACTS]);
      });
      expect(read).toEqual([1, ...kept]);

      const counts = Array.from({ length: readers }, async (_, n) => {
        const seen: number[] = [];
        await readAll(n % 2 === 0 ? bob : frank, id, ({ sequence_no: number }) => void seen.push(number));
        return seen;
      });
      for (const seen of await Promise.all(counts)) expect(seen).toEqual([1, ...kept]);
      expect(relay.isRunning).toBe(true);
      expect(peakMiB(relay.pid)).toBeLessThan(PEAK_MIB);
    },
    timeoutMs,
  );
}

const numbersFrom = (first: number, count: number): number[] => Array.from({ length: count }, (_, i) => first + i);

/** Sends messages 2, 3, … and tells which were kept, and how the others were refused. */
async function fill(sender: TestAgent, id: string, messages: number): Promise<{ kept: number[]; refusals: object[] }> {
  const artifacts = JSON.stringify(ARTIFACTS);
  const kept: number[] = [];
  const refusals: object[] = [];
  for (const n of numbersFrom(2, messages)) {
    const params = `{"task_id":"${id}","message":{"role":"user","parts":[{"type":"text","text":"message ${n}"}]},"artifacts":${artifacts}}`;
    const { status, body } = await sender.post(
      `{"jsonrpc":"2.0","id":${n},"method":"message/send","params":${params}}`,
    );
    if (status === 200) kept.push(n);
    else refusals.push((body as WireRpcError).error);
  }
  return { kept, refusals };
}

/** Reads to the end in parts, each within the bound of an answer. A relay that is busy with answers is asked again. */
async function readAll(reader: TestAgent, id: string, seen: (message: WireMessage) => void): Promise<void> {
  for (let after: number | undefined = 0; after !== undefined;) {
    const { status, headers, body } = await reader.rpc('tasks/get', { task_id: id, after_sequence_no: after });
    if (status === 503) continue;
    expect(Number(headers.get('content-length'))).toBeLessThanOrEqual(ANSWER_BYTES);
    const { result } = body as { result: WireThread };
    for (const message of result.messages) seen(message);
    after = result.next_after_sequence_no;
  }
}
