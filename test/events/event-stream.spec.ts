import { eventually, EventStreamReader, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

let bob: TestAgent;
let frank: TestAgent;
const open: EventStreamReader[] = [];

async function stream(agent: TestAgent, lastEventId?: string): Promise<EventStreamReader> {
  const reader = await EventStreamReader.open(agent, lastEventId);
  open.push(reader);
  return reader;
}

beforeEach(async () => {
  bob = await relay.agent('bob@acme');
  frank = await relay.agent('frank@acme');
});
afterEach(() => {
  for (const reader of open.splice(0)) reader.close();
});

describe('the event stream', () => {
  it('sends every event of the threads from now on, own ones included, and resumes after the last one received', async () => {
    await bob.send('frank@acme');
    // Read once, it is behind every reader that starts now.
    await frank.events(1);
    const reader = await stream(frank);
    const { task_id } = await bob.send('frank@acme');
    await frank.accept(task_id);
    await eventually('two events came', () => reader.events.length === 2);
    expect(reader.events.map(({ type, task_id: id }) => [type, id])).toEqual([
      ['handoff.created', task_id],
      ['handoff.accepted', task_id],
    ]);
    const resumed = await stream(frank, reader.events[0]!.cursor);
    await eventually('the second event came again', () => resumed.events.length === 1);
    expect(resumed.events[0]!.id).toBe(reader.events[1]!.id);
  });

  it('ends when its key is revoked on another replica, long before it would look by itself', async () => {
    const replica = await relay.replica();
    const reader = await stream(frank.at(replica.url));
    const { body } = await relay.admin<{ keys: { key_id: string }[] }>('GET', '/admin/agents/frank@acme/keys');
    await relay.admin('DELETE', `/admin/agents/frank@acme/keys/${body.keys[0]!.key_id}`);
    await eventually('the stream ended', () => reader.ended);
    await replica.app.close();
  });

  it('ends with a retry hint when the relay shuts down', async () => {
    const replica = await relay.replica();
    const reader = await stream(frank.at(replica.url));
    await replica.app.close();
    await eventually('the stream ended', () => reader.ended);
    expect(reader.raw.endsWith('retry: 1000\n\n')).toBe(true);
  });

  it('answers a void cursor with an error before it streams', async () => {
    expect((await stream(frank, 'nonsense')).status).toBe(400);
  });
});
