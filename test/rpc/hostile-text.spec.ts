import { type WireList, type WireRpcError } from '@agentrelay/protocol';
import { type TestAgent, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

const NUL = '\u0000';
const HIGH = '\ud83d';
const LOW = '\ude00';

/** Texts that must come back as they were sent, byte for byte. */
const TEXTS: Record<string, string> = {
  'a ZWJ family': '👨‍👩‍👧‍👦 👩‍❤️‍💋‍👨',
  flags: '🇯🇵🇺🇳🏴󠁧󠁢󠁳󠁣󠁴󠁿🏳️‍🌈🏴‍☠️',
  'skin tones': '👍🏻👍🏽👍🏿 🧑🏾‍🤝‍🧑🏼',
  'keycaps and variation selectors': '1️⃣#️⃣ ☎︎ ☎️',
  'right to left': 'שלום مرحبا \u202eevil\u202c \u2066abc\u2069',
  'composed and decomposed': 'é e\u0301 Å Å ﬁ',
  'zero width': 'a\u200bb\u200cc\u200dd\ufeffe\u2060f',
  'line ends of all kinds': 'a\r\nb\rc\nd\u2028e\u2029f\u0085g\u000bh\u000ci',
  'control characters': '\u0001\u0002\u001b[31mred\u001b[0m\u007f\u0080\u009f',
  'noncharacters and the last plane': '\ufffe\uffff\ufdd0 \u{10ffff}\u{f0000}',
  'many scripts': 'ภาษาไทย 한국어 हिन्दी ქართული ᏣᎳᎩ 𐍈𐌰 𓀀𓂀',
  markup: '<script>alert(1)</script> ${7*7} {{7*7}} %s %00 \\u0000 \\x00',
  SQL: `'; DROP TABLE handoffs; -- $1 \\' E'\\\\' "`,
  spaces: '  \t leading and trailing \u00a0\u3000 ',
};

describe('text of any kind', () => {
  it.each(Object.keys(TEXTS))('comes back byte for byte: %s', async (name) => {
    const body = TEXTS[name]!;
    const { bob, frank } = await relay.pair();
    const proposed_action = { description: body, target_files: [body], rationale: body, suggested_diff: body };
    const artifact = { type: 'file_diff', path: body, diff: body, [body]: body };
    const { task_id: id } = await bob.send('frank', {
      message: text(body),
      intent: 'propose_action',
      proposed_action,
      artifacts: [artifact],
      metadata: { [body]: [body] },
      payload: { [body]: { [body]: body } },
    });
    await frank.accept(id, { session_id: body });
    await frank.complete(id, { result_summary: body, artifacts: [artifact] });
    const thread = await bob.get(id);
    expect(thread).toMatchObject({ summary: body, proposed_action, completed_summary: body });
    expect(JSON.stringify([thread.artifacts, thread.metadata, thread.messages[0]!.payload])).toBe(
      JSON.stringify([[artifact], { [body]: [body] }, { [body]: { [body]: body } }]),
    );
    expect(thread.completion_artifacts).toEqual([artifact]);
    expect(thread.messages.map((message) => message.body)).toEqual([body, body]);
    const { items } = await frank.call<WireList>('tasks/list', { filter: { text: body } });
    expect(items.map((item) => item.summary_preview)).toEqual([body]);
  });

  it('of one megabyte comes back whole', async () => {
    const { bob, frank } = await relay.pair();
    const artifact = { type: 'file_diff', path: 'a', diff: '🙂é\n'.repeat(130_000) };
    const { task_id: id } = await bob.send('frank', { artifacts: [artifact, artifact] });
    expect((await frank.get(id)).artifacts).toEqual([artifact, artifact]);
  });
});

/** Where a text or a key can stand, and the field that the answer must name. */
const PLACES: [string, (bad: string) => object, string][] = [
  ['recipient', (bad) => ({ recipient: bad }), 'recipient'],
  ['the message', (bad) => ({ message: text(bad) }), 'message.parts[0].text'],
  ['metadata', (bad) => ({ metadata: { a: [1, { b: bad }] } }), 'metadata.a[1].b'],
  ['payload', (bad) => ({ payload: { a: bad } }), 'payload.a'],
  ['an artifact', (bad) => ({ artifacts: [{ type: 'link', url: 'https://a.b', note: bad }] }), 'artifacts[0].note'],
  ['a target file', (bad) => ({ proposed_action: { target_files: [bad] } }), 'proposed_action.target_files[0]'],
  ['the idempotency key', (bad) => ({ idempotency_key: bad }), 'idempotency_key'],
];
const BAD: [string, string, string][] = [
  ['NUL', `a${NUL}b`, 'contains a NUL character'],
  ['a lone high half', `a${HIGH}b`, 'contains half of a surrogate pair'],
  ['a lone low half', `a${LOW}b`, 'contains half of a surrogate pair'],
  ['halves in the wrong order', `${LOW}${HIGH}`, 'contains half of a surrogate pair'],
];

describe.each(BAD)('%s', (_, bad, fault) => {
  it.each(PLACES)('in %s is refused, naming the place', async (_place, paramsOf, field) => {
    const { bob } = await relay.pair();
    const refusal = await bob.refusal('message/send', { recipient: 'frank', message: text('x'), ...paramsOf(bad) });
    expect([refusal.symbol, refusal.message]).toEqual(['invalid_params', `params.${field} ${fault}.`]);
  });

  it('in a key is refused, naming the key', async () => {
    const { bob } = await relay.pair();
    const params = { recipient: 'frank', message: text('x'), metadata: { deep: [{ [bad]: 1 }] } };
    const refusal = await bob.refusal('message/send', params);
    expect([refusal.symbol, refusal.message]).toEqual([
      'invalid_params',
      `params.metadata.deep[0].${JSON.stringify(bad)} ${fault}.`,
    ]);
  });

  it('on a REST route is refused alike', async () => {
    const bob = await relay.agent('bob@acme');
    expect(await bob.rest('PUT', '/agents/me/card', { skills: ['a', bad] })).toMatchObject({
      status: 400,
      body: { code: 'invalid_params', message: `skills[1] ${fault}.` },
    });
  });
});

describe('names that JavaScript knows', () => {
  const RAW = '{"constructor":1,"toString":{"valueOf":2},"hasOwnProperty":null,"prototype":[],"toJSON":"x","then":"y"}';

  async function send(agent: TestAgent, members: string) {
    const message = '{"parts":[{"type":"text","text":"x"}]}';
    return agent.post(
      `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"recipient":"frank","message":${message},${members}}}`,
    );
  }

  it('are plain keys in metadata, payload, artifacts and inline', async () => {
    const { bob } = await relay.pair();
    const artifact = `{"type":"api_contract","inline":${RAW},${RAW.slice(1)}`;
    const members = `"metadata":${RAW},"payload":${RAW},"artifacts":[${artifact}],"idempotency_key":"k"`;
    const { status, body } = await send(bob, members);
    expect(status).toBe(200);
    const thread = await bob.get((body as unknown as { result: { task_id: string } }).result.task_id);
    expect(JSON.stringify([thread.metadata, thread.messages[0]!.payload, thread.artifacts])).toBe(
      `[${RAW},${RAW},[${artifact}]]`,
    );
    expect((await send(bob, members)).body).toMatchObject({ result: { replayed: true } });
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', 'then'])('are unknown as a parameter: %s', async (name) => {
    const { bob } = await relay.pair();
    const { status, body } = await send(bob, `"${name}":1`);
    expect([status, (body as WireRpcError).error.message]).toEqual([
      400,
      expect.stringMatching(`^${name} is not known here`) as string,
    ]);
  });

  it.each([
    '"__proto__":{"admin":true}',
    '"metadata":{"a":{"__proto__":1}}',
    '"artifacts":[{"__proto__":{"type":"link"}}]',
  ])('leave out __proto__, which no object can carry: %s', async (member) => {
    const { bob } = await relay.pair();
    const { status, body } = await send(bob, member);
    expect([status, (body as WireRpcError).error.message]).toEqual([
      400,
      expect.stringMatching(/"__proto__" is not allowed as a name\.$/) as string,
    ]);
  });
});
