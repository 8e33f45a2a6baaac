import { text, useRelay } from '@agentrelay/testing';

const LIMIT = 10_000;
const relay = useRelay({ RELAY_LIMIT_THREAD_BYTES: String(LIMIT) });

/** What a version that counts no bytes writes: one message in one statement with the change of its handoff. */
async function appendByOlderVersion(body: string): Promise<void> {
  await relay.database.query(
    `WITH changed AS (
       UPDATE handoffs SET message_count = message_count + 1, sender_message_count = sender_message_count + 1
       RETURNING id, sender_id, message_count AS sequence_no
     )
     INSERT INTO messages (handoff_id, sequence_no, id, author_id, kind, body, payload, artifacts, created_at)
     SELECT id, sequence_no, gen_random_uuid(), sender_id, 'message', $1::text, '{}', '[]', now() FROM changed`,
    [body],
  );
}

async function counted(): Promise<number | null> {
  const [row] = await relay.database.query<{ bytes: number | null }>(
    'SELECT thread_bytes::integer AS bytes FROM handoffs',
  );
  return row!.bytes;
}

describe('a version that counts no bytes, beside this one', () => {
  it('adds messages that the database counts and that are read as any other', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    const before = await counted();
    await appendByOlderVersion('written by an older one');
    expect(await counted()).toBe(before! + 406 + 'written by an older one'.length);
    await bob.append(id, 'three');
    const { messages, unread_messages: unread } = await frank.get(id);
    expect([messages.map(({ body }) => body), unread]).toEqual([
      ['Please have a look.', 'written by an older one', 'three'],
      0,
    ]);
  });

  it('leaves threads uncounted that it has made; the next message counts them whole', async () => {
    const { bob } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    await relay.database.query('UPDATE handoffs SET thread_bytes = NULL');
    await appendByOlderVersion('x'.repeat(5_000));
    expect(await counted()).toBeNull();
    await bob.append(id, 'three');
    expect(await counted()).toBe(3 * 406 + 'Please have a look.'.length + 5_000 + 'three'.length);
    expect(await bob.refusal('message/send', { task_id: id, message: text('x'.repeat(4_000)) })).toMatchObject({
      symbol: 'invalid_params',
      details: { limit_bytes: LIMIT },
    });
  });
});
