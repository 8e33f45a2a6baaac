import type { WireMessage, WireThread, WireTransition } from '@agentrelay/protocol';
import { type TestAgent, text, useRelay } from '@agentrelay/testing';

const ANSWER_BYTES = 400_000;
const relay = useRelay({
  RELAY_LIMIT_ANSWER_BYTES: String(ANSWER_BYTES),
  RELAY_LIMIT_BODY_BYTES: String(ANSWER_BYTES / 2),
});

const diff = (filling: string, bytes: number): object => ({
  type: 'file_diff',
  path: 'a.ts',
  diff: filling.repeat(bytes),
});
const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const numbers = (messages: readonly WireMessage[]): number[] => messages.map(({ sequence_no: number }) => number);
const upTo = (last: number, first = 1): number[] => Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** A thread of `count` messages of about `bytes` each, its summary included. */
async function thread(count: number, bytes: number): Promise<{ bob: TestAgent; frank: TestAgent; id: string }> {
  const { bob, frank } = await relay.pair();
  const { task_id: id } = await bob.send('frank@acme', { artifacts: [diff('d', bytes)] });
  for (let n = 2; n <= count; n++)
    await (n % 2 === 0 ? frank : bob).append(id, `message ${n}`, { artifacts: [diff('d', bytes)], payload: { n } });
  return { bob, frank, id };
}

/** Every part of a thread, as a reader gets them that reads on until nothing is left. */
async function parts(reader: TestAgent, id: string, params: object = {}): Promise<WireThread[]> {
  const all: WireThread[] = [];
  let after: number | undefined;
  do {
    const part = await reader.get(id, { ...params, ...(after !== undefined && { after_sequence_no: after }) });
    all.push(part);
    after = part.next_after_sequence_no;
  } while (after !== undefined);
  return all;
}

describe('a thread that is longer than an answer', () => {
  it('comes in parts, oldest first, each within the bound, with every message once and as it was sent', async () => {
    const { frank, id } = await thread(12, 70_000);
    const read = await parts(frank, id);
    expect(read.map(({ messages }) => numbers(messages))).toEqual([upTo(5), upTo(10, 6), upTo(12, 11)]);
    for (const part of read) expect(sizeOf(part)).toBeLessThanOrEqual(ANSWER_BYTES);
    const messages = read.flatMap((part) => part.messages);
    expect(messages.slice(1).map(({ body, payload }) => [body, payload])).toEqual(
      upTo(12, 2).map((n) => [`message ${n}`, { n }]),
    );
    for (const { artifacts } of messages) expect(artifacts).toEqual([diff('d', 70_000)]);
  });

  it('names the members that had no room beside the messages that hold them, and shows them where they have', async () => {
    const { frank, id } = await thread(5, 70_000);
    await frank.accept(id);
    await frank.complete(id, { artifacts: [diff('r', 90_000)] });
    const [first, second] = await parts(frank, id);
    expect(numbers(first!.messages)).toEqual(upTo(5));
    expect([first!.artifacts, first!.completion_artifacts, first!.omitted]).toEqual([
      [],
      [],
      ['artifacts', 'completion_artifacts'],
    ]);
    expect(numbers(second!.messages)).toEqual([6]);
    expect([second!.artifacts, second!.completion_artifacts, second!.omitted]).toEqual([
      [diff('d', 70_000)],
      [diff('r', 90_000)],
      undefined,
    ]);
    const head = await frank.get(id, { history_length: 0 });
    expect([head.messages, head.artifacts.length, head.completion_artifacts.length]).toEqual([[], 1, 1]);
    expect(head).not.toHaveProperty('next_after_sequence_no');
  });

  it('says where to read on only where something follows', async () => {
    const { bob, frank, id } = await thread(5, 70_000);
    expect(await frank.get(id)).not.toHaveProperty('next_after_sequence_no');
    await bob.append(id, 'one more', { artifacts: [diff('d', 70_000)] });
    expect((await frank.get(id)).next_after_sequence_no).toBe(5);
    expect(await frank.get(id, { after_sequence_no: 5 })).not.toHaveProperty('next_after_sequence_no');
    expect(await frank.get(id, { after_sequence_no: 6 })).not.toHaveProperty('next_after_sequence_no');
  });

  it('moves the reader’s position only as far as the part goes', async () => {
    const { frank, id } = await thread(12, 70_000);
    const unread: number[] = [];
    let after = 0;
    for (let part = await frank.get(id); ; part = await frank.get(id, { after_sequence_no: after })) {
      unread.push(part.unread_messages);
      if (part.next_after_sequence_no === undefined) break;
      after = part.next_after_sequence_no;
    }
    // bob wrote the odd ones: 1, 3, 5 | 7, 9 | 11.
    expect(unread).toEqual([3, 1, 0]);
  });

  it('gives the newest messages that were asked for, in parts too', async () => {
    const { frank, id } = await thread(12, 70_000);
    const read = await parts(frank, id, { history_length: 7, mark_read: false });
    expect(read.map(({ messages }) => numbers(messages))).toEqual([upTo(10, 6), upTo(12, 11)]);
  });

  it('is bounded by what the answer takes, not by what is stored: escapes count as they are written', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    for (let n = 0; n < 4; n++) await bob.append(id, '\u0001'.repeat(30_000));
    const read = await parts(frank, id);
    expect(read.map(({ messages }) => numbers(messages))).toEqual([upTo(3), upTo(5, 4)]);
    for (const part of read) expect(sizeOf(part)).toBeLessThanOrEqual(ANSWER_BYTES);
  });

  it('keeps a large proposed action out of a part that it has no room in, and says so', async () => {
    const { bob, frank } = await relay.pair();
    const action = {
      description: 'Do it.',
      rationale: 'Because.',
      target_files: Array.from({ length: 150 }, (_, i) => `${i}/${'x'.repeat(1_000)}`),
    };
    const { task_id: id } = await bob.send('frank@acme', { intent: 'propose_action', proposed_action: action });
    await bob.append(id, 'large', { artifacts: [diff('x', 180_000)] });
    await bob.append(id, 'larger', { payload: {}, artifacts: [diff('x', 180_000)] });
    const read = await parts(frank, id);
    expect(read.map((part) => numbers(part.messages))).toEqual([[1, 2], [3]]);
    expect(read.map((part) => part.proposed_action)).toEqual([action, action]);
    for (const part of read) expect(sizeOf(part)).toBeLessThanOrEqual(ANSWER_BYTES);
  });

  it('is accepted with its first part, and so it is when the accept is repeated', async () => {
    const { frank, id } = await thread(12, 70_000);
    const accept = { session_id: 's1', include_thread: true, idempotency_key: 'k1' };
    const first = await frank.accept(id, accept);
    expect(numbers(first.thread!.messages)).toEqual(upTo(5));
    expect(first.thread!.next_after_sequence_no).toBe(5);
    const again = await frank.accept(id, accept);
    expect(again).toEqual({ ...first, replayed: true, thread: { ...first.thread } });
    expect(sizeOf(again)).toBeLessThanOrEqual(ANSWER_BYTES);
  });
});

describe('a message', () => {
  it('that no answer could show whole is refused', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    await frank.accept(id);
    // Numbers are answered as JavaScript writes them: five times as long as they were sent.
    const inline = Array.from({ length: 15_000 }, () => 1e20);
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { task_id: id, message: text('x'), artifacts: [{ type: 'link', url: 'https://example.com', inline }] },
    }).replaceAll('100000000000000000000', '1e20');
    const { body: answer } = await bob.post<{ error: object }>(body);
    expect(answer.error).toMatchObject({
      data: { code: 'payload_too_large', details: { limit_bytes: 299_600 } },
      message: expect.stringMatching(
        /^Text, payload and artifacts take 330\d{3} bytes as JSON, and a message has room for 299600;/,
      ) as string,
    });
  });

  it('from before, which no answer can show whole, is shown without its artifacts', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    await relay.database.query(
      `INSERT INTO messages (handoff_id, sequence_no, id, author_id, kind, body, payload, artifacts, created_at)
       SELECT id, 2, gen_random_uuid(), sender_id, 'message', 'old', '{}',
         json_build_array(json_build_object('type', 'file_diff', 'path', 'a', 'diff', repeat('x', 500000))), now() FROM handoffs`,
    );
    await relay.database.query('UPDATE handoffs SET message_count = 2, sender_message_count = 2');
    const read = await frank.get(id);
    expect(read.messages.map(({ body, artifacts }) => [body, artifacts])).toEqual([
      ['Please have a look.', []],
      ['old', []],
    ]);
    expect(read.omitted).toEqual(['messages.2.artifacts']);
  });
});

describe('a batch', () => {
  const entry = (id: number, method: string, params: object): object => ({ jsonrpc: '2.0', id, method, params });
  interface Entry {
    result?: WireThread & WireTransition;
    error?: { message: string; data: { code: string } };
  }

  it('has one bound for all its answers: what has no room is to be asked alone, and writes leave the thread out', async () => {
    const { bob, frank, id } = await thread(4, 70_000);
    const { task_id: other } = await bob.send('frank@acme');
    const read = (n: number): object => entry(n, 'tasks/get', { task_id: id });
    const { body, status } = await frank.post<Entry[]>(
      JSON.stringify([
        read(1),
        read(2),
        entry(3, 'tasks/update', { task_id: id, transition: 'accept', include_thread: true }),
        entry(4, 'tasks/update', { task_id: other, transition: 'accept', include_thread: true }),
        entry(5, 'tasks/list', {}),
      ]),
    );
    expect(status).toBe(200);
    expect(sizeOf(body)).toBeLessThanOrEqual(ANSWER_BYTES);
    expect(numbers(body[0]!.result!.messages)).toEqual(upTo(4));
    expect(body[1]!.error).toMatchObject({
      data: { code: 'payload_too_large' },
      message: `The answers of this batch would take more than ${ANSWER_BYTES} bytes; ask for this one alone.`,
    });
    expect(body[2]!.result).toMatchObject({ status: { state: 'accepted' }, omitted: ['thread'] });
    expect(body[2]!.result).not.toHaveProperty('thread');
    expect(body[3]!.result!.thread!.messages).toHaveLength(1);
    expect(body[4]!.result).toHaveProperty('items');
  });
});
