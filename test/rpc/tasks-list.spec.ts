import type { WireList } from '@agentrelay/protocol';
import { type TestAgent, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

async function list(agent: TestAgent, filter: object = {}, page: object = {}): Promise<WireList> {
  return agent.call<WireList>('tasks/list', { filter, page });
}

async function summaries(agent: TestAgent, filter: object = {}): Promise<string[]> {
  return (await list(agent, filter)).items.map((item) => item.summary_preview);
}

function said(body: string): object {
  return { message: text(body) };
}

/** One handoff in each state from bob to frank, two the other way, one between others. */
async function mailbox() {
  const { bob, frank } = await relay.pair();
  const grace = await relay.agent('grace@acme');
  await bob.send('frank', said('pending'));
  const accepted = await bob.send('frank', { ...said('accepted'), intent: 'ask_question' });
  await frank.accept(accepted.task_id);
  const completed = await bob.send('frank', said('completed'));
  await frank.accept(completed.task_id);
  await frank.complete(completed.task_id);
  const cancelled = await bob.send('frank', said('cancelled'));
  await bob.cancel(cancelled.task_id);
  await frank.send('bob', said('back'));
  await frank.send('grace', said('Grüße an GRACE'));
  await grace.send('bob', said('not for frank'));
  return { bob, frank, grace };
}

describe('tasks/list', () => {
  it.each([
    [{}, ['cancelled', 'completed', 'accepted', 'pending']],
    [{ role: 'recipient' }, ['cancelled', 'completed', 'accepted', 'pending']],
    [{ role: 'sender' }, ['Grüße an GRACE', 'back']],
    [{ role: 'any' }, ['Grüße an GRACE', 'back', 'cancelled', 'completed', 'accepted', 'pending']],
    [{ status: [] }, ['cancelled', 'completed', 'accepted', 'pending']],
    [{ status: ['pending'] }, ['pending']],
    [{ status: ['accepted'] }, ['accepted']],
    [{ status: ['completed', 'cancelled'] }, ['cancelled', 'completed']],
    [{ status: ['pending', 'pending'] }, ['pending']],
    [{ status: ['pending'], role: 'any' }, ['Grüße an GRACE', 'back', 'pending']],
    [{ intent: 'ask_question' }, ['accepted']],
    [{ intent: 'propose_action' }, []],
    [{ counterpart: 'BOB@acme', role: 'any' }, ['back', 'cancelled', 'completed', 'accepted', 'pending']],
    [{ counterpart: 'grace@acme', role: 'any' }, ['Grüße an GRACE']],
    [{ counterpart: 'grace@acme' }, []],
    [{ counterpart: 'nobody@acme' }, []],
    [{ text: 'cEl' }, ['cancelled']],
    [{ text: 'GRÜSSE' }, []],
    [{ text: 'grüße', role: 'any' }, ['Grüße an GRACE']],
    [{ text: '%', role: 'any' }, []],
    [{ text: 'e', status: ['completed', 'pending'] }, ['completed', 'pending']],
  ])('with the filter %p shows frank %p', async (filter, expected) => {
    const { frank } = await mailbox();
    expect(await summaries(frank, filter)).toEqual(expected);
  });

  it('puts the newest activity first: a message or a transition brings a handoff up', async () => {
    const { bob, frank } = await relay.pair();
    const ids = [];
    for (const name of ['a', 'b', 'c']) ids.push((await bob.send('frank', said(name))).task_id);
    expect(await summaries(frank)).toEqual(['c', 'b', 'a']);
    await bob.append(ids[0]!, 'up');
    expect(await summaries(frank)).toEqual(['a', 'c', 'b']);
    await frank.accept(ids[1]!);
    expect(await summaries(frank)).toEqual(['b', 'a', 'c']);
  });

  it('filters by creation and by activity, both from that moment on', async () => {
    const { bob, frank } = await relay.pair();
    const old = await bob.send('frank', said('old'));
    const recent = await bob.send('frank', said('recent'));
    await relay.database.query(
      `UPDATE handoffs SET created_at = '2026-01-01T00:00:00.500Z', updated_at = '2026-02-01T00:00:00.500Z' WHERE id = $1`,
      [old.task_id],
    );
    expect(await summaries(frank, { since: '2026-01-01T00:00:00.500Z' })).toEqual(['recent', 'old']);
    expect(await summaries(frank, { since: '2026-01-01T01:00:00.500+01:00' })).toEqual(['recent', 'old']);
    expect(await summaries(frank, { since: '2026-01-01T00:00:00.501Z' })).toEqual(['recent']);
    expect(await summaries(frank, { updated_since: '2026-02-01T00:00:00.500Z' })).toEqual(['recent', 'old']);
    expect(await summaries(frank, { updated_since: '2026-02-01T00:00:00.501Z' })).toEqual(['recent']);
    expect(await summaries(frank, { since: recent.created_at, updated_since: recent.created_at })).toEqual(['recent']);
  });

  it('gives with as_of the moment from which updated_since shows what moved since', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: moved } = await bob.send('frank', said('moved'));
    await bob.send('frank', said('still'));
    const { as_of } = await list(frank);
    await bob.append(moved, 'more');
    await bob.send('frank', said('new'));
    expect(await summaries(frank, { updated_since: as_of })).toEqual(
      expect.arrayContaining(['new', 'moved']) as string[],
    );
    // Times have milliseconds: what happened in the very one of as_of may be shown again, but nothing older.
    await relay.database.query(`UPDATE handoffs SET updated_at = updated_at - interval '1 minute' WHERE id <> $1`, [
      moved,
    ]);
    expect(await summaries(frank, { updated_since: as_of })).toEqual(['moved']);
  });

  it('shows the exact members of an item', async () => {
    const { bob, frank } = await relay.pair();
    const link = { type: 'link', url: 'https://example.com' };
    const sent = await bob.send('frank', { artifacts: [link, link], intent: 'ask_question' });
    await bob.append(sent.task_id, 'more', { artifacts: [link] });
    const { updated_at } = await frank.get(sent.task_id, { mark_read: false });
    const page = await list(frank);
    expect(page).toEqual({
      items: [
        {
          task_id: sent.task_id,
          thread_id: sent.task_id,
          status: { state: 'pending' },
          work_status: 'READY',
          intent: 'ask_question',
          sender: { handle: 'bob@acme', name: 'The agent bob@acme', role: 'developer' },
          recipient: { handle: 'frank@acme', name: 'The agent frank@acme', role: 'developer' },
          summary_preview: 'Please have a look.',
          unread_messages: 2,
          artifact_count: 2,
          created_at: sent.created_at,
          updated_at,
        },
      ],
      next_cursor: null,
      unread_total: 2,
      as_of: page.as_of,
    });
    expect(Date.parse(page.as_of!)).toBeGreaterThanOrEqual(Date.parse(updated_at));
  });

  it('counts unread messages per item and in total, and listing marks nothing', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: one } = await bob.send('frank', said('one'));
    await bob.append(one, 'more');
    await frank.append(one, 'mine');
    await bob.send('frank', said('two'));
    const counts = async (agent: TestAgent, role: string) => {
      const { items, unread_total } = await list(agent, { role });
      return [items.map((item) => item.unread_messages), unread_total];
    };
    expect(await counts(frank, 'recipient')).toEqual([[1, 2], 3]);
    expect(await counts(frank, 'any')).toEqual([[1, 2], 3]);
    expect(await counts(bob, 'sender')).toEqual([[0, 1], 1]);
    await frank.get(one);
    expect(await counts(frank, 'recipient')).toEqual([[1, 0], 1]);
  });

  it('is empty for someone without handoffs', async () => {
    const grace = await relay.agent('grace@acme');
    const { as_of, ...page } = await list(grace, { role: 'any' });
    expect(page).toEqual({ items: [], next_cursor: null, unread_total: 0 });
    expect(as_of).toMatch(/Z$/);
  });
});
