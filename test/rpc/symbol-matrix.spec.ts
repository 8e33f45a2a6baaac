import { ERRORS, type ErrorSymbol } from '@agentrelay/protocol';
import { type TestAgent, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

const SITUATIONS = ['pending', 'accepted', 'completed', 'cancelled'] as const;
type Situation = (typeof SITUATIONS)[number];
type Side = 'recipient' | 'sender';

const ACTIONS = {
  accept: ['tasks/update', { transition: 'accept' }],
  complete: ['tasks/update', { transition: 'complete', result_summary: 'Done.' }],
  cancel: ['tasks/cancel', {}],
  'cancel by update': ['tasks/update', { transition: 'cancel' }],
  message: ['message/send', { message: text('more') }],
} as const satisfies Record<string, [string, object]>;
type Action = keyof typeof ACTIONS;

const TERMINAL = { completed: 'thread_terminal', cancelled: 'thread_terminal' } as const;
const CANCEL = {
  sender: { pending: 'done', accepted: 'invalid_transition', ...TERMINAL },
  recipient: { pending: 'not_authorized_transition', accepted: 'not_authorized_transition', ...TERMINAL },
} as const;
const NOT_THE_SENDER = {
  pending: 'not_authorized_transition',
  accepted: 'not_authorized_transition',
  ...TERMINAL,
} as const;

/** domain.md 2, "Transition × situation → symbol". */
const MATRIX: Record<Action, Record<Side, Record<Situation, ErrorSymbol | 'done'>>> = {
  accept: { recipient: { pending: 'done', accepted: 'state_changed', ...TERMINAL }, sender: NOT_THE_SENDER },
  complete: { recipient: { pending: 'invalid_transition', accepted: 'done', ...TERMINAL }, sender: NOT_THE_SENDER },
  cancel: CANCEL,
  'cancel by update': CANCEL,
  message: {
    recipient: { pending: 'done', accepted: 'done', ...TERMINAL },
    sender: { pending: 'done', accepted: 'done', ...TERMINAL },
  },
};

const CELLS = (Object.keys(MATRIX) as Action[]).flatMap((action) =>
  (['recipient', 'sender'] as const).flatMap((side) =>
    SITUATIONS.map((situation) => [action, side, situation, MATRIX[action][side][situation]] as const),
  ),
);

async function bring(situation: Situation): Promise<{ bob: TestAgent; frank: TestAgent; id: string }> {
  const { bob, frank } = await relay.pair();
  const { task_id: id } = await bob.send('frank@acme');
  if (situation === 'cancelled') await bob.cancel(id);
  if (situation === 'accepted' || situation === 'completed') await frank.accept(id, { session_id: 'first' });
  if (situation === 'completed') await frank.complete(id);
  return { bob, frank, id };
}

describe('an action of a participant', () => {
  it.each(CELLS)('%s by the %s of a %s handoff: %s', async (action, side, situation, expected) => {
    const { bob, frank, id } = await bring(situation);
    const [method, params] = ACTIONS[action];
    const before = await bob.get(id);
    const { status, body } = await (side === 'sender' ? bob : frank).rpc(method, { task_id: id, ...params });
    const after = await bob.get(id);
    if (expected === 'done') {
      expect([status, 'result' in (body as object)]).toEqual([200, true]);
      expect(Date.parse(after.updated_at)).toBeGreaterThanOrEqual(Date.parse(before.updated_at));
      const moved =
        action === 'message' ? after.messages.length - before.messages.length : after.version - before.version;
      expect(moved).toBe(1);
    } else {
      const { rpc: code, http } = ERRORS[expected];
      expect([status, body]).toMatchObject([http, { error: { code, data: { code: expected } } }]);
      expect({ ...after, unread_messages: 0 }).toEqual({ ...before, unread_messages: 0 });
    }
  });

  it.each(SITUATIONS)('read by both sides of a %s handoff is always allowed', async (situation) => {
    const { bob, frank, id } = await bring(situation);
    expect((await bob.get(id)).status).toEqual({ state: situation });
    expect((await frank.get(id)).status).toEqual({ state: situation });
  });
});

/** Every method that names a thread. */
const ON_A_THREAD: [string, object][] = [
  ['message/send', { message: text('hello') }],
  ['tasks/get', {}],
  ['tasks/cancel', {}],
  ['tasks/update', { transition: 'accept' }],
  ['tasks/update', { transition: 'accept', session_id: 'first' }],
  ['tasks/update', { transition: 'accept', expected_version: 99 }],
  ['tasks/update', { transition: 'complete', result_summary: 'Done.' }],
  ['tasks/update', { transition: 'cancel' }],
];

const NOT_FOUND = {
  jsonrpc: '2.0',
  id: 1,
  error: {
    code: -32006,
    message: 'You have no thread with the id <id>; list your threads to find the right one.',
    data: { code: 'thread_not_found', request_id: 'same', details: {} },
  },
};

describe('a stranger', () => {
  it.each(SITUATIONS)('learns nothing of a %s thread: its id answers like an unknown one', async (situation) => {
    const { id } = await bring(situation);
    const unknown = '0198f7c0-0000-7000-8000-000000000000';
    const stranger = await relay.agent('mallory@acme');
    for (const [method, params] of ON_A_THREAD) {
      for (const keys of [{}, { idempotency_key: 'k' }]) {
        const ask = async (task_id: string) => {
          const { status, body, headers } = await stranger.rpc(
            method,
            { task_id, ...params, ...keys },
            { 'x-request-id': 'same' },
          );
          return [status, headers.get('content-type'), JSON.stringify(body).replaceAll(task_id, '<id>')];
        };
        const known = await ask(id);
        expect(known).toEqual(await ask(unknown));
        expect(known).toEqual([404, 'application/json; charset=utf-8', JSON.stringify(NOT_FOUND)]);
      }
    }
  });

  it('sees nothing of it in any list', async () => {
    await bring('accepted');
    const stranger = await relay.agent('mallory@acme');
    const list = { filter: { role: 'any', counterpart: 'bob@acme' } };
    expect(await stranger.call('tasks/list', list)).toMatchObject({ items: [], unread_total: 0 });
  });
});
