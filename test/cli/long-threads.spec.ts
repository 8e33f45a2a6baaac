import { type TestAgent, text, useRelay } from '@agentrelay/testing';
import type { WireThread } from '@agentrelay/protocol';
import { Workstation } from './agentrelay';

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

/** A thread of `count` messages that takes three answers. */
async function longThread(count = 12): Promise<{ bob: TestAgent; frank: TestAgent; id: string }> {
  const { bob, frank } = await relay.pair();
  const { task_id: id } = await bob.send('frank@acme', { message: text('message 1'), artifacts: [diff('d', 70_000)] });
  for (let n = 2; n <= count; n++) await bob.append(id, `message ${n}`, { artifacts: [diff('d', 70_000)] });
  return { bob, frank, id };
}

describe('show, for a thread that takes several answers', () => {
  it('prints every message once and in order, and how it stands at the end', async () => {
    const { bob, frank, id } = await longThread();
    const shown = await Workstation.of(frank).run(['show', id]);
    expect(shown).toMatchObject({ code: 0, stderr: '' });
    const told = [...shown.stdout.matchAll(/^│ message (\d+)$/gm)].map(([, n]) => Number(n));
    expect(told).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
    expect(shown.stdout.match(/^│ d{70000}$/gm)).toHaveLength(12);
    expect(shown.stdout.trimEnd().split('\n').at(-1)).toBe(`Take it on: agentrelay accept ${id}`);
    const own = await Workstation.of(bob).run(['show', id]);
    expect(own.stdout).toContain(`Withdraw it: agentrelay cancel ${id}\n`);
    expect(await frank.get(id, { mark_read: false, history_length: 0 })).toMatchObject({ unread_messages: 12 });
  });

  it('prints one JSON document with every message, and names what the relay left out', async () => {
    const { frank, id } = await longThread();
    await relay.database.query(
      `INSERT INTO messages (handoff_id, sequence_no, id, author_id, kind, body, payload, artifacts, created_at)
       SELECT id, 13, gen_random_uuid(), sender_id, 'message', 'message 13', '{}',
         json_build_array(json_build_object('type', 'file_diff', 'path', 'a', 'diff', repeat('x', 500000))), now() FROM handoffs`,
    );
    await relay.database.query('UPDATE handoffs SET message_count = 13, sender_message_count = 13');
    const workstation = Workstation.of(frank);
    const thread = await workstation.json<WireThread>(['show', id]);
    expect(thread.messages.map(({ sequence_no, body }) => [sequence_no, body])).toEqual(
      Array.from({ length: 13 }, (_, i) => [i + 1, `message ${i + 1}`]),
    );
    expect(thread.omitted).toContain('messages.13.artifacts');
    expect(thread).not.toHaveProperty('next_after_sequence_no');
    for (const { sequence_no, artifacts } of thread.messages)
      expect(artifacts).toEqual(sequence_no === 13 ? [] : [diff('d', 70_000)]);
    const { stdout } = await workstation.run(['show', id]);
    expect(stdout).toMatch(/^│ message 13\nIts artifacts are not shown: too large for one answer of the relay\./m);
    expect(stdout.match(/^Its artifacts are not shown/gm)).toHaveLength(1);
  });
});

describe('inbox, while threads move', () => {
  it('misses none that was there all the time', async () => {
    const { bob, frank } = await relay.pair();
    const count = 230;
    const ids: string[] = [];
    for (let n = 0; n < count; n += 10)
      ids.push(
        ...(await Promise.all(Array.from({ length: 10 }, () => bob.send('frank@acme')))).map((sent) => sent.task_id),
      );
    const workstation = Workstation.of(frank);
    const moving = { on: true, moved: 0 };
    const mover = async (): Promise<void> => {
      // The oldest first: each leaves a page that is still to be read.
      for (let n = 0; moving.on; n = (n + 1) % count, moving.moved++) await bob.append(ids[n]!, 'moved');
    };
    const movers = mover();
    try {
      for (let round = 0; round < 4; round++) {
        const { items } = await workstation.json<{ items: { thread_id: string }[] }>(['inbox']);
        expect(new Set(items.map(({ thread_id }) => thread_id))).toEqual(new Set(ids));
        expect(items).toHaveLength(count);
      }
    } finally {
      moving.on = false;
      await movers;
    }
    expect(moving.moved).toBeGreaterThan(0);
  });
});
