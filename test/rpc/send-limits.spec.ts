import { LIMITS } from '@agentrelay/protocol';
import { text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

/** Counts as one code point, two UTF-16 units and four bytes. */
const FACE = '🙂';

function ofCodePoints(count: number): string {
  return FACE.repeat(count);
}

/** A JSON object whose encoding has exactly `bytes` bytes. */
function ofBytes(bytes: number): object {
  return { k: 'x'.repeat(bytes - '{"k":""}'.length) };
}

const LINK = { type: 'link', url: 'https://example.com' };

function action(members: object): object {
  const proposed_action = { description: 'd', target_files: [], rationale: 'r', ...members };
  return { intent: 'propose_action', proposed_action };
}

function artifactOfBytes(bytes: number): object {
  const bare = { type: 'file_diff', path: 'a', diff: '' };
  return { ...bare, diff: 'x'.repeat(bytes - JSON.stringify(bare).length) };
}

/** What is limited, params at the edge and beyond it, and the field that the refusal names. */
const EDGES: [string, object, object, string][] = [
  [
    'a summary',
    { message: text(ofCodePoints(LIMITS.summary)) },
    { message: text(ofCodePoints(LIMITS.summary + 1)) },
    'message',
  ],
  [
    'text parts',
    { message: { parts: Array.from({ length: LIMITS.textParts }, () => ({ type: 'text', text: 'x' })) } },
    { message: { parts: Array.from({ length: LIMITS.textParts + 1 }, () => ({ type: 'text', text: 'x' })) } },
    'message',
  ],
  [
    'artifacts',
    { artifacts: Array.from({ length: LIMITS.artifactsPerMessage }, () => LINK) },
    { artifacts: Array.from({ length: LIMITS.artifactsPerMessage + 1 }, () => LINK) },
    'artifacts',
  ],
  [
    'one artifact',
    { artifacts: [artifactOfBytes(LIMITS.artifactBytes)] },
    { artifacts: [artifactOfBytes(LIMITS.artifactBytes + 1)] },
    'artifacts',
  ],
  [
    'inline',
    { artifacts: [{ type: 'api_contract', inline: ofBytes(LIMITS.inlineBytes) }] },
    { artifacts: [{ type: 'api_contract', inline: ofBytes(LIMITS.inlineBytes + 1) }] },
    'artifacts',
  ],
  [
    'metadata',
    { metadata: ofBytes(LIMITS.metadataBytes) },
    { metadata: ofBytes(LIMITS.metadataBytes + 1) },
    'metadata',
  ],
  ['payload', { payload: ofBytes(LIMITS.payloadBytes) }, { payload: ofBytes(LIMITS.payloadBytes + 1) }, 'payload'],
  ...['description', 'rationale', 'suggested_diff'].map((member): [string, object, object, string] => [
    `proposed_action.${member}`,
    action({ [member]: ofCodePoints(LIMITS.proposedActionText) }),
    action({ [member]: ofCodePoints(LIMITS.proposedActionText + 1) }),
    'proposed_action',
  ]),
  [
    'target_files',
    action({ target_files: Array.from({ length: LIMITS.targetFiles }, (_, i) => `f${i}`) }),
    action({ target_files: Array.from({ length: LIMITS.targetFiles + 1 }, (_, i) => `f${i}`) }),
    'proposed_action',
  ],
];

describe('a new handoff', () => {
  it.each(EDGES)('takes %s at the limit and refuses more, naming the field', async (_, edge, beyond, field) => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme', edge);
    const refusal = await bob.refusal('message/send', { recipient: 'frank@acme', message: text('x'), ...beyond });
    const faults = refusal.details['faults'] as { field: string }[] | undefined;
    expect([refusal.symbol, refusal.status, faults?.[0]?.field ?? refusal.details['field']]).toEqual([
      'invalid_params',
      400,
      field,
    ]);
    expect((await frank.call<{ items: object[] }>('tasks/list')).items).toMatchObject([{ task_id: id }]);
  });

  it.each([
    ['an empty text', { message: text('') }],
    ['only empty parts', { message: { parts: [{ type: 'text', text: '' }] } }],
    ['no parts', { message: { parts: [] } }],
    ['parts that are no list', { message: { parts: { type: 'text', text: 'x' } } }],
    ['another part type', { message: { parts: [{ type: 'file', text: 'x' }] } }],
    ['another part kind', { message: { parts: [{ kind: 'data', text: 'x' }] } }],
    ['a part without type', { message: { parts: [{ text: 'x' }] } }],
    ['a part without text', { message: { parts: [{ type: 'text' }] } }],
    ['an unknown part member', { message: { parts: [{ type: 'text', text: 'x', lang: 'en' }] } }],
    ['an unknown message member', { message: { parts: [{ type: 'text', text: 'x' }], messageId: '1' } }],
    ['an unknown role', { message: { role: 'system', parts: [{ type: 'text', text: 'x' }] } }],
  ])('is refused with %s', async (_, params) => {
    const { bob } = await relay.pair();
    expect(await bob.refusal('message/send', { recipient: 'frank', ...params })).toMatchObject({
      symbol: 'invalid_params',
      message: expect.stringContaining('message') as string,
    });
  });

  it('joins several text parts, of either spelling and role, by a newline', async () => {
    const { bob, frank } = await relay.pair();
    const parts = [
      { type: 'text', text: 'one' },
      { kind: 'text', text: '' },
      { kind: 'text', text: 'three' },
    ];
    for (const role of ['user', 'agent', null, undefined]) {
      const { task_id: id } = await bob.send('frank', { message: { role, parts } });
      expect((await frank.get(id)).summary).toBe('one\n\nthree');
    }
  });

  it('takes a message body of 100,000 code points on a thread and refuses one more', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    await frank.append(id, ofCodePoints(LIMITS.messageBody));
    const refusal = await frank.refusal('message/send', {
      task_id: id,
      message: text(ofCodePoints(LIMITS.messageBody + 1)),
    });
    expect(refusal.symbol).toBe('invalid_params');
    expect((await bob.get(id)).messages.map((message) => Array.from(message.body).length)).toEqual([
      19,
      LIMITS.messageBody,
    ]);
  });

  it('takes a result of 10,000 code points and refuses one more', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    await frank.accept(id);
    const complete = { task_id: id, transition: 'complete' };
    expect(
      await frank.refusal('tasks/update', { ...complete, result_summary: ofCodePoints(LIMITS.resultSummary + 1) }),
    ).toMatchObject({ symbol: 'invalid_params' });
    await frank.complete(id, { result_summary: ofCodePoints(LIMITS.resultSummary) });
    expect((await bob.get(id)).completed_summary).toBe(ofCodePoints(LIMITS.resultSummary));
  });

  it('shows 240 code points of a long summary in lists, never half of a character', async () => {
    const { bob, frank } = await relay.pair();
    await bob.send('frank@acme', { message: text(ofCodePoints(LIMITS.summaryPreview + 1)) });
    await bob.send('frank@acme', { message: text(ofCodePoints(LIMITS.summaryPreview)) });
    const { items } = await frank.call<{ items: { summary_preview: string }[] }>('tasks/list');
    expect(items.map((item) => item.summary_preview)).toEqual([
      ofCodePoints(LIMITS.summaryPreview),
      `${ofCodePoints(LIMITS.summaryPreview - 1)}…`,
    ]);
  });

  it('stops taking messages at the limit of a thread, but still takes its result', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    await frank.accept(id);
    // Filling the thread by hand: 10,000 requests would show no more.
    await relay.database.query(
      `INSERT INTO messages SELECT handoff_id, n, gen_random_uuid(), author_id, 'message', 'x', '{}', '[]', created_at
       FROM messages, generate_series(2, 9999) n WHERE handoff_id = $1`,
      [id],
    );
    await relay.database.query(`UPDATE handoffs SET message_count = 9999, sender_message_count = 9999 WHERE id = $1`, [
      id,
    ]);
    expect((await bob.append(id, 'the last')).sequence_no).toBe(LIMITS.messagesPerThread);
    expect(await bob.refusal('message/send', { task_id: id, message: text('x') })).toMatchObject({
      symbol: 'invalid_params',
      details: { limit: 10_000 },
    });
    await frank.complete(id);
    const thread = await bob.get(id, { history_length: 2 });
    expect(thread.messages.map((message) => [message.sequence_no, message.kind])).toEqual([
      [10_000, 'message'],
      [10_001, 'result'],
    ]);
  });
});
