import type { TestAgent } from '../../../libs/testing/src/test-agent';
import { Caller } from '../../bench/load';
import { atMost } from '../../bench/table';
import { type Attack, inParallel, register, type Scene, scaled } from '../scene';

const MIB = 1_048_576;
const MESSAGES = 150;
const ARTIFACT = 'x'.repeat(1_300_000 - 200);
/** An answer's bound, and the member in which the rest of a batch or an envelope stands. */
const ANSWER_BYTES = 8 * MIB;
const ENVELOPE_BYTES = 64 * 1_024;
const DATABASE_BYTES = 16 * MIB;
const THREAD_BYTES = 64 * MIB;
const READERS = 12;
const MOST_PARTS = 500;

/** A thread is filled as far as it goes, and read again and again by both sides. */
export const bigThread: Attack = {
  name: 'a thread as large as it goes',
  async run(scene) {
    const sender = await register(scene, 'filler@acme');
    const recipient = await register(scene, 'reader@acme');
    const { task_id } = await sender.send(recipient.handle);
    const stored = await fill(scene, sender, task_id);
    scene.ledger.figure(
      'bytes taken into the thread',
      stored,
      `${Math.round(stored / MIB)} MiB`,
      atMost(THREAD_BYTES, '64 MiB'),
    );
    await readInParts(scene, recipient, task_id);
    await readAtOnce(scene, [sender, recipient], task_id);
    await readInBatches(scene, recipient, task_id);
    await acceptWithThread(scene, recipient, task_id);
  },
};

/** Appends messages until the relay takes no more; gives how many bytes of artifacts it took. */
async function fill(scene: Scene, sender: TestAgent, taskId: string): Promise<number> {
  let taken = 0;
  const refusals: Record<string, number> = {};
  const diff = (n: number): object => ({ type: 'file_diff', path: `src/${n}.ts`, diff: ARTIFACT.slice(0, 1_040_000) });
  for (let n = 0; n < scaled(MESSAGES, scene, 24); n++) {
    const artifacts = [diff(1), diff(2), diff(3)];
    const params = {
      task_id: taskId,
      message: { role: 'user', parts: [{ type: 'text', text: `Part ${n}` }] },
      artifacts,
    };
    const { status } = await sender.rpc('message/send', params);
    refusals[status] = (refusals[status] ?? 0) + 1;
    if (status === 200) taken += 3 * 1_040_000;
    if (status >= 500 && status !== 503) scene.ledger.claim('a message too many is refused', false, `status ${status}`);
  }
  scene.say(`  messages by status: ${JSON.stringify(refusals)}`);
  return taken;
}

interface Part {
  messages?: { sequence_no: number }[];
  next_after_sequence_no?: unknown;
}

/** Reads the thread to its end as the answers say, and holds each answer and what it moved from the database against its bound. */
async function readInParts(scene: Scene, reader: TestAgent, taskId: string): Promise<void> {
  const { relay, ledger } = scene;
  const caller = new Caller(relay.url);
  const most = { answer: 0, moved: 0 };
  let parts = 0;
  let messages = 0;
  let after: unknown;
  do {
    const before = relay.bytesRead;
    const params = { task_id: taskId, ...(after === undefined ? {} : { after_sequence_no: after }) };
    const { status, text } = await caller.call({ apiKey: reader.apiKey, method: 'tasks/get', params });
    most.moved = Math.max(most.moved, relay.bytesRead - before);
    most.answer = Math.max(most.answer, Buffer.byteLength(text));
    if (status !== 200) throw new Error(`part ${parts + 1} of the thread gave ${status} ${text.slice(0, 300)}`);
    const part = (JSON.parse(text) as { result: Part }).result;
    messages += part.messages?.length ?? 0;
    after = part.next_after_sequence_no;
    parts++;
  } while (after !== undefined && after !== null && parts < MOST_PARTS);
  caller.close();
  scene.say(`  ${messages} messages read in ${parts} parts`);
  ledger.figure('largest answer', most.answer, mib(most.answer), atMost(ANSWER_BYTES + ENVELOPE_BYTES, '8 MiB'));
  ledger.figure('read from the database for one part', most.moved, mib(most.moved), atMost(DATABASE_BYTES, '16 MiB'));
  ledger.claim('the parts come to an end', parts < MOST_PARTS, `${parts} parts`);
}

/** Several readers at once: each is answered, or told to come back. */
async function readAtOnce(scene: Scene, readers: TestAgent[], taskId: string): Promise<void> {
  const outcomes: Record<string, number> = {};
  const caller = new Caller(scene.relay.url);
  await inParallel(Array(READERS * 4).keys(), READERS, async (n) => {
    const { apiKey } = readers[n % readers.length]!;
    const status = await caller.call({ apiKey, method: 'tasks/get', params: { task_id: taskId } }, false).then(
      (reply) => String(reply.status),
      () => 'cut off',
    );
    outcomes[status] = (outcomes[status] ?? 0) + 1;
  });
  caller.close();
  const good = Object.keys(outcomes).every((status) => ['200', '429', '503'].includes(status));
  scene.ledger.claim(`${READERS} readers at once are served or told to wait`, good, JSON.stringify(outcomes));
}

/** A batch shares one bound. */
async function readInBatches(scene: Scene, { apiKey, url }: TestAgent, taskId: string): Promise<void> {
  const entries = Array.from({ length: 20 }, (_, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tasks/get',
    params: { task_id: taskId },
  }));
  const before = scene.relay.bytesRead;
  const response = await fetch(`${url}/a2a`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(entries),
  });
  const bytes = (await response.arrayBuffer()).byteLength;
  const moved = scene.relay.bytesRead - before;
  scene.ledger.figure(
    'answer of a batch of 20 reads',
    bytes,
    mib(bytes),
    atMost(ANSWER_BYTES + 20 * ENVELOPE_BYTES, '8 MiB'),
  );
  scene.ledger.figure('read from the database for that batch', moved, mib(moved), atMost(2 * DATABASE_BYTES, '32 MiB'));
}

async function acceptWithThread(scene: Scene, recipient: TestAgent, taskId: string): Promise<void> {
  const caller = new Caller(scene.relay.url);
  const params = { task_id: taskId, transition: 'accept', include_thread: true };
  const { status, text } = await caller.call({ apiKey: recipient.apiKey, method: 'tasks/update', params });
  caller.close();
  const bytes = Buffer.byteLength(text);
  scene.ledger.claim('accepting with the thread succeeds', status === 200, `status ${status}`);
  scene.ledger.figure(
    'answer of accepting with the thread',
    bytes,
    mib(bytes),
    atMost(ANSWER_BYTES + ENVELOPE_BYTES, '8 MiB'),
  );
}

function mib(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}
