import { text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

const ACTION = { description: 'Rename users to members', target_files: ['a.ts', 'ä/b.ts'], rationale: 'They pay.' };

describe('a proposed action', () => {
  it.each([
    ['without a diff', ACTION],
    ['with a diff', { ...ACTION, suggested_diff: '@@ -1 +1 @@' }],
    ['without files', { ...ACTION, target_files: [] }],
  ])('comes back as sent %s', async (_, proposed_action) => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme', { intent: 'propose_action', proposed_action });
    const thread = await frank.get(id);
    expect(thread.intent).toBe('propose_action');
    expect(JSON.stringify(thread.proposed_action)).toBe(JSON.stringify(proposed_action));
  });

  it.each(['inform', 'ask_question', undefined])('is null on a handoff of intent %s', async (intent) => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme', { intent });
    const thread = await frank.get(id);
    expect([thread.intent, thread.proposed_action]).toEqual([intent ?? 'inform', null]);
  });

  it.each([
    ['propose_action', undefined],
    ['propose_action', null],
    ['inform', ACTION],
    ['ask_question', ACTION],
    [undefined, ACTION],
  ])('must be there exactly with the intent propose_action: %s with %p is refused', async (intent, proposed_action) => {
    const { bob } = await relay.pair();
    const params = { recipient: 'frank@acme', message: text('x'), intent, proposed_action };
    expect(await bob.refusal('message/send', params)).toMatchObject({
      symbol: 'invalid_intent_payload',
      code: -32012,
      status: 400,
      details: { intent: intent ?? 'inform' },
    });
    expect(await relay.database.query('SELECT id FROM handoffs')).toEqual([]);
  });

  it.each([
    [7, 'must be an object'],
    [[], 'must be an object'],
    [{ ...ACTION, description: undefined }, 'description is required'],
    [{ ...ACTION, description: '' }, 'description must not be empty'],
    [{ ...ACTION, rationale: undefined }, 'rationale is required'],
    [{ ...ACTION, rationale: '' }, 'rationale must not be empty'],
    [{ ...ACTION, target_files: undefined }, 'target_files must be a list'],
    [{ ...ACTION, target_files: 'a.ts' }, 'target_files must be a list'],
    [{ ...ACTION, target_files: [''] }, 'target_files entry 0: must not be empty'],
    [{ ...ACTION, target_files: ['a', 7] }, 'target_files entry 1: must be a string'],
    [{ ...ACTION, suggested_diff: 7 }, 'suggested_diff must be a string'],
    [{ ...ACTION, urgency: 'high' }, 'has the unknown member "urgency"'],
  ])('%p is refused: %s', async (proposed_action, fault) => {
    const { bob } = await relay.pair();
    const params = { recipient: 'frank@acme', message: text('x'), intent: 'propose_action', proposed_action };
    const refusal = await bob.refusal('message/send', params);
    expect([refusal.symbol, refusal.message]).toEqual(['invalid_params', `proposed_action ${fault}.`]);
  });
});
