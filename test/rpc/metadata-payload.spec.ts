import type { WireThread } from '@agentrelay/protocol';
import { type TestAgent, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

/** Keys out of order on purpose; JSON readers in JavaScript keep all orders but those of number-like keys. */
const METADATA = {
  zeta: 1,
  alpha: { nested: { deeper: [1, 2.5, -3e-7, null, true, ''] } },
  'schlüssel 🔑': '👩‍👩‍👧‍👦 🏳️‍🌈 مرحبا',
  constructor: 'x',
  toString: { valueOf: 0 },
  '': 'empty key',
  task_id: 'mine',
};

/** The text of one member of a thread, exactly as it came over the wire. */
async function textOf(agent: TestAgent, id: string, member: keyof WireThread): Promise<string> {
  return JSON.stringify((await agent.get(id))[member]);
}

describe('metadata', () => {
  it('comes back exactly as sent, in order, without the idempotency key', async () => {
    const { bob, frank } = await relay.pair();
    const { zeta, ...rest } = METADATA;
    const metadata = { zeta, client_idempotency_key: 'k', ...rest };
    const { task_id: id } = await bob.send('frank@acme', { metadata });
    for (const reader of [bob, frank]) expect(await textOf(reader, id, 'metadata')).toBe(JSON.stringify(METADATA));
  });

  it.each([
    ['absent', {}],
    ['null', { metadata: null }],
    ['empty', { metadata: {} }],
    ['only the key', { metadata: { client_idempotency_key: 'k' } }],
    ['the key as null', { metadata: { client_idempotency_key: null } }],
  ])('is {} when it was %s', async (_, params) => {
    const { bob } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme', params);
    expect((await bob.get(id)).metadata).toEqual({});
  });

  it('keeps the question of an ask_question', async () => {
    const { bob, frank } = await relay.pair();
    const params = { intent: 'ask_question', metadata: { question: 'Which auth?' } };
    const { task_id: id } = await bob.send('frank@acme', params);
    expect((await frank.get(id)).metadata).toEqual({ question: 'Which auth?' });
  });

  it('of an acceptance, completion or cancellation does not touch the handoff', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme', { metadata: { a: 1 } });
    await frank.accept(id, { metadata: { b: 2 } });
    await frank.complete(id, { metadata: { c: 3 } });
    expect((await bob.get(id)).metadata).toEqual({ a: 1 });
  });
});

describe('payload', () => {
  it.each([
    ['the payload when there is one', { payload: METADATA, metadata: { other: 1 } }, METADATA],
    [
      'metadata without the key when there is none',
      { metadata: { ...METADATA, client_idempotency_key: 'k' } },
      METADATA,
    ],
    ['an empty payload, although there is metadata', { payload: {}, metadata: { other: 1 } }, {}],
    ['an empty object when there is neither', {}, {}],
  ])('of an appended message is %s', async (_, params, expected) => {
    const { bob } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme', { metadata: { kept: true } });
    await bob.append(id, 'more', params);
    const thread = await bob.get(id);
    expect(JSON.stringify(thread.messages[1]!.payload)).toBe(JSON.stringify(expected));
    expect(thread.metadata).toEqual({ kept: true });
  });

  it('of a new handoff belongs to its first message, whose metadata is no payload', async () => {
    const { bob } = await relay.pair();
    const first = await bob.send('frank@acme', { payload: { refs: [1] }, metadata: { m: 1 } });
    const second = await bob.send('frank@acme', { metadata: { m: 1 } });
    expect((await bob.get(first.task_id)).messages[0]!.payload).toEqual({ refs: [1] });
    expect((await bob.get(second.task_id)).messages[0]!.payload).toEqual({});
  });

  it('with a result is always an empty object', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    await frank.accept(id);
    await frank.complete(id, { metadata: { not: 'a payload' } });
    expect((await bob.get(id)).messages.at(-1)!.payload).toEqual({});
  });
});

it('an append answers with the message it made', async () => {
  const { bob, frank } = await relay.pair();
  const { task_id: id } = await bob.send('frank@acme');
  const appended = await frank.call('message/send', { task_id: id, message: text('Which branch?') });
  const [, message] = (await bob.get(id)).messages;
  expect(appended).toEqual({
    task_id: id,
    thread_id: id,
    message_id: message!.id,
    sequence_no: 2,
    created_at: message!.created_at,
  });
  expect(message).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-7/) as string,
    sequence_no: 2,
    author_id: frank.agentId,
    from: 'frank@acme',
    kind: 'message',
    body: 'Which branch?',
    payload: {},
    artifacts: [],
    created_at: appended['created_at'],
  });
});
