import type { WireThread } from '@agentrelay/protocol';
import { type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

let bob: TestAgent;
let frank: TestAgent;
let id: string;

beforeEach(async () => {
  ({ bob, frank } = await relay.pair());
  ({ task_id: id } = await bob.send('frank@acme'));
});

type Step = keyof WireThread['delivery'];

/** The delivery ladder, read by the sender, whose reading counts for nothing. */
async function ladder(): Promise<WireThread['delivery']> {
  return (await bob.get(id)).delivery;
}

/** The steps that have a time. */
async function reached(): Promise<Step[]> {
  const steps = Object.entries(await ladder()) as [Step, object][];
  return steps.filter(([, step]) => 'at' in step).map(([name]) => name);
}

const LISTS: Record<string, () => Promise<unknown>> = {
  'tasks/list': () => frank.call('tasks/list'),
  'tasks/list of both sides': () => frank.call('tasks/list', { filter: { role: 'any' } }),
  'GET /agents/me/inbox': () => frank.rest('GET', '/agents/me/inbox'),
};

describe('the delivery of a handoff', () => {
  it('climbs from stored over listed, opened and accepted to completed, each with the time it happened', async () => {
    const sent = await bob.get(id);
    expect(await ladder()).toEqual({
      stored: { at: sent.created_at },
      notified: { cause: 'the recipient has no notification channel' },
      listed: { cause: 'the recipient has not listed its inbox since' },
      opened: { cause: 'the recipient has not read the thread' },
      accepted: { cause: 'the recipient has not accepted it' },
      completed: { cause: 'it was not accepted yet' },
    });
    await frank.call('tasks/list');
    expect(await reached()).toEqual(['stored', 'listed']);
    await frank.get(id);
    expect(await reached()).toEqual(['stored', 'listed', 'opened']);
    const { accepted_at } = await frank.accept(id);
    expect(await ladder()).toMatchObject({
      accepted: { at: accepted_at },
      completed: { cause: 'the recipient is working on it' },
    });
    const { completed_at } = await frank.complete(id);
    const end = await ladder();
    expect(end).toMatchObject({ accepted: { at: accepted_at }, completed: { at: completed_at } });
    const times = (['stored', 'listed', 'opened', 'accepted', 'completed'] as const).map((step) => {
      const { at } = end[step] as { at: string };
      expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      return at;
    });
    expect(times).toEqual([...times].sort());
  });

  it.each(Object.keys(LISTS))('is listed by %s of the recipient, at the first time only', async (list) => {
    await LISTS[list]!();
    const first = await ladder();
    expect(await reached()).toEqual(['stored', 'listed']);
    await relay.database.query(`UPDATE handoffs SET listed_at = listed_at - interval '1 hour'`);
    const aged = await ladder();
    expect(aged.listed).not.toEqual(first.listed);
    await LISTS[list]!();
    expect((await ladder()).listed).toEqual(aged.listed);
  });

  it('is not listed by the sender, by a peek, by another filter or by the page before it', async () => {
    await bob.send('frank@acme');
    await bob.call('tasks/list', { filter: { role: 'sender' } });
    await bob.call('tasks/list', { filter: { role: 'any' } });
    await frank.call('tasks/list', { peek: true });
    await frank.rest('GET', '/agents/me/inbox?peek=true');
    await frank.call('tasks/list', { filter: { role: 'sender' } });
    await frank.call('tasks/list', { filter: { status: ['accepted'] } });
    await frank.call('tasks/list', { page: { limit: 1 } });
    expect(await reached()).toEqual(['stored']);
    await frank.call('events/list');
    expect(await reached()).toEqual(['stored']);
  });

  it('is opened by the recipient reading it, at the first time only, and seen so in the same answer', async () => {
    await frank.get(id, { mark_read: false });
    await bob.get(id);
    expect(await reached()).toEqual(['stored']);
    const read = await frank.get(id);
    expect((await ladder()).opened).toEqual(read.delivery.opened);
    await relay.database.query(`UPDATE handoffs SET opened_at = opened_at - interval '1 hour'`);
    const aged = await ladder();
    expect((await frank.get(id)).delivery.opened).toEqual(aged.opened);
  });

  it('is opened by accepting with the thread, and not by accepting alone', async () => {
    const { task_id: other } = await bob.send('frank@acme');
    await frank.accept(other);
    expect((await bob.get(other)).delivery.opened).toEqual({ cause: 'the recipient has not read the thread' });
    await frank.accept(id, { include_thread: true });
    expect(await reached()).toEqual(['stored', 'opened', 'accepted']);
  });

  it('moves neither the activity time, nor the version, nor the log', async () => {
    const facts = () =>
      relay.database.query(
        'SELECT updated_at, version, message_count, (SELECT count(*) FROM events) AS events FROM handoffs',
      );
    const before = await facts();
    await frank.call('tasks/list');
    await frank.get(id);
    expect(await reached()).toEqual(['stored', 'listed', 'opened']);
    expect(await facts()).toEqual(before);
  });

  it('that was cancelled keeps the steps taken and says so of the others', async () => {
    await frank.call('tasks/list');
    await bob.cancel(id);
    expect(await ladder()).toMatchObject({
      listed: { at: expect.any(String) as string },
      opened: { cause: 'it was cancelled' },
      accepted: { cause: 'it was cancelled' },
      completed: { cause: 'it was cancelled' },
    });
  });
});
