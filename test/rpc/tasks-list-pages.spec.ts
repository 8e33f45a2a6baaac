import type { WireList } from '@agentrelay/protocol';
import { type TestAgent, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

async function allPages(agent: TestAgent, limit: number, filter: object): Promise<WireList[]> {
  const pages: WireList[] = [];
  let cursor: string | null = null;
  do {
    const page: WireList = await agent.call<WireList>('tasks/list', { filter, page: { limit, cursor } });
    pages.push(page);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return pages;
}

describe('pages of tasks/list', () => {
  it('show every handoff exactly once, also where many share one moment and both directions mix', async () => {
    const { bob, frank } = await relay.pair();
    for (let i = 0; i < 12; i++) await (i % 2 ? bob.send('frank') : frank.send('bob'));
    const { items } = await frank.call<WireList>('tasks/list', { filter: { role: 'any' } });
    await frank.accept(items.find((item) => item.sender.handle === 'bob@acme')!.task_id);
    await relay.database.query(`UPDATE handoffs SET updated_at = '2026-05-01T00:00:00.123Z' WHERE status = 'pending'`);
    const whole = await frank.call<WireList>('tasks/list', { filter: { role: 'any' } });
    for (const limit of [1, 5, 6, 12, 13]) {
      const pages = await allPages(frank, limit, { role: 'any' });
      expect(pages.flatMap((page) => page.items)).toEqual(whole.items);
      expect(pages).toHaveLength(Math.ceil(12 / limit));
    }
  });

  it('carry as_of on the first one only, and unread_total on each', async () => {
    const { bob, frank } = await relay.pair();
    for (let i = 0; i < 3; i++) await bob.send('frank');
    const pages = await allPages(frank, 2, {});
    expect(pages.map((page) => ['as_of' in page, page.unread_total])).toEqual([
      [true, 3],
      [false, 3],
    ]);
  });

  it('go on unharmed while handoffs move up meanwhile: what rests appears once', async () => {
    const { bob, frank } = await relay.pair();
    const ids: string[] = [];
    for (let i = 0; i < 6; i++) ids.push((await bob.send('frank', { message: text(String(i)) })).task_id);
    const first = await frank.call<WireList>('tasks/list', { page: { limit: 3 } });
    await bob.append(ids[0]!, 'up');
    await bob.send('frank');
    const second = await frank.call<WireList>('tasks/list', { page: { limit: 3, cursor: first.next_cursor } });
    const previews = [...first.items, ...second.items].map((item) => item.summary_preview);
    expect(previews).toEqual(['5', '4', '3', '2', '1']);
  });

  it('have 50 items unless asked otherwise, and at most 200', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank');
    await relay.database.query(
      `WITH copies AS (
         INSERT INTO handoffs (id, sender_id, recipient_id, intent, summary_preview, artifact_count, metadata, created_at, updated_at)
         SELECT gen_random_uuid(), sender_id, recipient_id, intent, summary_preview, 0, '{}', created_at, updated_at
         FROM handoffs, generate_series(2, 201) WHERE id = $1 RETURNING id, sender_id, created_at)
       INSERT INTO messages SELECT id, 1, gen_random_uuid(), sender_id, 'summary', 'x', '{}', '[]', created_at FROM copies`,
      [id],
    );
    const usual = await frank.call<WireList>('tasks/list');
    const largest = await frank.call<WireList>('tasks/list', { page: { limit: 200 } });
    expect([usual.items.length, largest.items.length, largest.unread_total]).toEqual([50, 200, 201]);
    expect(largest.next_cursor).not.toBeNull();
  });

  it.each(['x', '!!!', Buffer.from('1.2').toString('base64url'), Buffer.from("1.' OR 1=1").toString('base64url')])(
    'refuse the cursor %p, which the relay never gave out',
    async (cursor) => {
      const frank = await relay.agent('frank@acme');
      expect(await frank.refusal('tasks/list', { page: { cursor } })).toMatchObject({
        symbol: 'invalid_params',
        details: { field: 'page.cursor' },
      });
    },
  );

  it('are empty behind the end and all there behind the future, whatever the time in a cursor', async () => {
    const { bob, frank } = await relay.pair();
    await bob.send('frank');
    const at = (time: string) => Buffer.from(`${time}.ffffffff-ffff-ffff-ffff-ffffffffffff`).toString('base64url');
    const count = async (time: string) =>
      (await frank.call<WireList>('tasks/list', { page: { cursor: at(time) } })).items.length;
    expect([await count('0'), await count('999999999999999')]).toEqual([0, 1]);
  });
});
