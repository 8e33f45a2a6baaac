import type { WireList } from '@agentrelay/protocol';
import { EventStreamReader, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

let bob: TestAgent;
let frank: TestAgent;
let human: TestAgent;
let id: string;

/** Two messages of bob's wait for frank. */
beforeEach(async () => {
  ({ bob, frank } = await relay.pair());
  human = await relay.humanOf(frank);
  ({ task_id: id } = await bob.send('frank@acme'));
  await bob.append(id, 'two');
});

/** What a reader has not read, as the thread and both lists say without being read. */
async function unread(agent: TestAgent): Promise<number> {
  const thread = await agent.get(id, { mark_read: false });
  const list = await agent.call<WireList>('tasks/list', { filter: { role: 'any' } });
  expect([list.items[0]!.unread_messages, list.unread_total]).toEqual([thread.unread_messages, thread.unread_messages]);
  return thread.unread_messages;
}

describe('unread messages', () => {
  it('are those of others above the position, until the thread is read', async () => {
    expect(await unread(frank)).toBe(2);
    expect(await unread(bob)).toBe(0);
    await frank.append(id, 'three');
    expect([await unread(frank), await unread(bob)]).toEqual([2, 1]);
    expect((await frank.get(id)).unread_messages).toBe(0);
    await bob.append(id, 'four');
    expect([await unread(frank), await unread(bob)]).toEqual([1, 1]);
  });

  it("are kept apart for the agent and for the person: neither clears the other's", async () => {
    await human.get(id);
    expect([await unread(human), await unread(frank)]).toEqual([0, 2]);
    await bob.append(id, 'three');
    await frank.get(id);
    expect([await unread(human), await unread(frank)]).toEqual([1, 0]);
  });

  it('are not unread to the person for what its own agent wrote', async () => {
    await human.get(id);
    await frank.append(id, 'three');
    expect(await unread(human)).toBe(0);
  });

  it('are read by accepting with the thread, not by accepting alone', async () => {
    await frank.accept(id, { session_id: 's' });
    expect(await unread(frank)).toBe(2);
    const { thread } = await frank.accept(id, { session_id: 's', include_thread: true });
    expect([thread!.unread_messages, await unread(frank)]).toEqual([0, 0]);
    expect(await unread(human)).toBe(2);
  });

  it('stay so through lists, events, streams and writing', async () => {
    await frank.call('tasks/list');
    await frank.rest('GET', '/agents/me/inbox');
    await frank.call('events/list', { include_own: true });
    await frank.rest('GET', '/agents/me/events');
    await frank.rest('GET', '/agents/me/audit');
    const first = await frank.events(1, { limit: 1 });
    const stream = await EventStreamReader.open(frank, first.events[0]!.cursor);
    stream.close();
    await frank.append(id, 'three');
    await frank.accept(id);
    await frank.complete(id);
    expect(await unread(frank)).toBe(2);
  });

  it('of a result are unread to the sender', async () => {
    await frank.accept(id);
    await frank.complete(id);
    expect(await unread(bob)).toBe(1);
    await bob.get(id);
    expect(await unread(bob)).toBe(0);
  });
});
