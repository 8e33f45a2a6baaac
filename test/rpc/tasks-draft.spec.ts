import { ERRORS, type ErrorSymbol, LIMITS, type WireAppended } from '@agentrelay/protocol';
import { type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

const PROPOSAL = { description: 'Rename the column.', target_files: ['db/schema.sql'], rationale: 'It misleads.' };
const PROPOSE = { intent: 'propose_action', proposed_action: PROPOSAL };
const DRAFT = {
  drafted_diff: '--- a\n+++ b\n',
  drafted_files: ['db/schema.sql', 'db/seed.sql'],
  rationale: 'Both files name the column.',
};

type Situation = 'pending' | 'accepted' | 'completed' | 'cancelled';

async function bring(situation: Situation, params: object = PROPOSE) {
  const { bob, frank } = await relay.pair();
  const { task_id: id } = await bob.send('frank@acme', params);
  if (situation === 'cancelled') await bob.cancel(id);
  if (situation === 'accepted' || situation === 'completed') await frank.accept(id);
  if (situation === 'completed') await frank.complete(id);
  return { bob, frank, id };
}

const draft = (agent: TestAgent, id: string, params: object = {}) =>
  agent.call<WireAppended>('tasks/draft', { task_id: id, ...DRAFT, ...params });

describe('a draft', () => {
  it('by the recipient of an accepted proposal joins the thread, with rationale as text and the rest as payload', async () => {
    const { bob, frank, id } = await bring('accepted');
    const answer = await draft(frank, id.toUpperCase(), { alternatives_considered: 'A view.' });
    const thread = await bob.get(id);
    const message = thread.messages[1]!;
    expect(answer).toEqual({
      task_id: id,
      thread_id: id,
      message_id: message.id,
      sequence_no: 2,
      created_at: message.created_at,
    });
    expect(message).toEqual({
      id: answer.message_id,
      sequence_no: 2,
      author_id: frank.agentId,
      from: 'frank@acme',
      kind: 'draft',
      body: DRAFT.rationale,
      payload: { ...DRAFT, alternatives_considered: 'A view.' },
      artifacts: [],
      created_at: answer.created_at,
    });
    expect([thread.version, thread.updated_at]).toEqual([2, answer.created_at]);
  });

  it('leaves one draft.appended for both, without a word of it, and is unread for the sender', async () => {
    const { bob, frank, id } = await bring('accepted');
    await draft(frank, id);
    const { events } = await bob.events(1, { types: ['draft.appended'] });
    expect(events).toMatchObject([
      { type: 'draft.appended', actor: 'frank@acme', task_id: id, payload: { version: 2, sequence_no: 2 } },
    ]);
    expect(JSON.stringify(events)).not.toMatch(/misleads|column|schema/);
    expect((await bob.get(id, { mark_read: false })).unread_messages).toBe(1);
  });

  const NO_SENDER = 'not_authorized_transition';
  const MATRIX: [Situation, 'recipient' | 'sender', ErrorSymbol][] = [
    ['pending', 'recipient', 'invalid_transition'],
    ['completed', 'recipient', 'thread_terminal'],
    ['cancelled', 'recipient', 'thread_terminal'],
    ['pending', 'sender', NO_SENDER],
    ['accepted', 'sender', NO_SENDER],
    ['completed', 'sender', 'thread_terminal'],
    ['cancelled', 'sender', 'thread_terminal'],
  ];

  it.each(MATRIX)('on a %s proposal by the %s is refused: %s', async (situation, side, symbol) => {
    const { bob, frank, id } = await bring(situation);
    const before = await bob.get(id);
    const refusal = await (side === 'sender' ? bob : frank).refusal('tasks/draft', { task_id: id, ...DRAFT });
    expect(refusal).toMatchObject({ symbol, code: ERRORS[symbol].rpc, status: ERRORS[symbol].http });
    expect(await bob.get(id)).toEqual(before);
  });

  it.each(['inform', 'ask_question'])('on an accepted %s is refused: there is no proposal to draft', async (intent) => {
    const { frank, id } = await bring('accepted', { intent });
    expect(await frank.refusal('tasks/draft', { task_id: id, ...DRAFT })).toMatchObject({
      symbol: 'invalid_intent_payload',
      code: -32012,
      details: { intent },
    });
  });

  it('by a stranger is thread_not_found', async () => {
    const { id } = await bring('accepted');
    const eve = await relay.agent('eve@acme');
    expect((await eve.refusal('tasks/draft', { task_id: id, ...DRAFT })).symbol).toBe('thread_not_found');
  });

  it('is refused in both directions of a block', async () => {
    const { bob, frank, id } = await bring('accepted');
    await bob.rest('POST', '/agents/me/block', { handle: 'frank' });
    expect(await frank.refusal('tasks/draft', { task_id: id, ...DRAFT })).toMatchObject({
      symbol: 'teammate_blocked',
      details: { blocked_by: 'teammate' },
    });
    await bob.rest('DELETE', '/agents/me/block/frank');
    await frank.rest('POST', '/agents/me/block', { handle: 'bob' });
    expect((await frank.refusal('tasks/draft', { task_id: id, ...DRAFT })).details).toEqual({ blocked_by: 'you' });
  });

  it('with an idempotency key is stored once, whatever the case of the id, and other arguments are refused', async () => {
    const { bob, frank, id } = await bring('accepted');
    const first = await draft(frank, id, { idempotency_key: 'k' });
    expect(await draft(frank, id.toUpperCase(), { idempotency_key: 'k' })).toEqual({ replayed: true, ...first });
    const other = { task_id: id, ...DRAFT, drafted_files: [], idempotency_key: 'k' };
    expect((await frank.refusal('tasks/draft', other)).symbol).toBe('duplicate_idempotency_key');
    expect((await bob.get(id)).messages).toHaveLength(2);
  });
});

describe('the parts of a draft', () => {
  it('are taken at their limits, an empty diff and no files included', async () => {
    const { bob, frank, id } = await bring('accepted');
    const full = {
      drafted_diff: '🙂'.repeat(LIMITS.draftedDiff),
      drafted_files: Array.from({ length: LIMITS.targetFiles }, (_, n) => `f${n}`),
      rationale: '🙂'.repeat(LIMITS.proposedActionText),
      alternatives_considered: '🙂'.repeat(LIMITS.proposedActionText),
    };
    await draft(frank, id, full);
    await draft(frank, id, { drafted_diff: '', drafted_files: [] });
    const { messages } = await bob.get(id);
    expect(messages[1]!.payload).toEqual(full);
    expect(messages[2]!.payload).toEqual({
      drafted_diff: '',
      drafted_files: [],
      rationale: DRAFT.rationale,
    });
  });

  it.each([
    ['drafted_diff', undefined],
    ['drafted_diff', 'x'.repeat(LIMITS.draftedDiff + 1)],
    ['drafted_files', undefined],
    ['drafted_files', 'db/schema.sql'],
    ['drafted_files', ['']],
    ['drafted_files', Array.from({ length: LIMITS.targetFiles + 1 }, () => 'f')],
    ['drafted_files', ['x'.repeat(LIMITS.proposedActionText + 1)]],
    ['rationale', undefined],
    ['rationale', ''],
    ['rationale', 'x'.repeat(LIMITS.proposedActionText + 1)],
    ['alternatives_considered', ''],
    ['alternatives_considered', 'x'.repeat(LIMITS.proposedActionText + 1)],
    ['applied', true],
  ])('are refused beyond them, naming %s', async (field, value) => {
    const { frank, id } = await bring('accepted');
    expect(await frank.refusal('tasks/draft', { task_id: id, ...DRAFT, [field]: value })).toMatchObject({
      symbol: 'invalid_params',
      details: { faults: [{ field }] },
    });
  });
});
