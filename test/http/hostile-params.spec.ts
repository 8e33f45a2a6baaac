import { LIMITS, type WireRpcAnswer } from '@agentrelay/protocol';
import { type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

const cursor = (text: string): string => Buffer.from(text).toString('base64url');
const ID = '0198f7c0-0000-7000-8000-000000000000';
const MAX = '9223372036854775807';

const CURSORS = [
  cursor(`999999999999999.${ID}`),
  cursor(`0.${ID}`),
  cursor(`1.${MAX}.${ID}`),
  cursor(`1.-${MAX}.${ID}`),
  cursor(`1.99999999999999999999.${ID}`),
  cursor(`${ID}.-9223372036854775808.${ID}`),
  cursor('\0'),
  cursor(`${'9'.repeat(15)}.${ID}\n`),
  'x'.repeat(100_000),
  '',
  '%00',
  '🙂',
];

const TIMES = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00+14:00',
  '9999-12-31T23:59:59.999Z',
  '9999-12-31T23:59:59-23:59',
  '+275760-09-13T00:00:00Z',
  '-271821-04-20T00:00:00Z',
  '-000001-01-01T00:00:00Z',
  '2026-02-30T00:00:00Z',
  '2026-01-01T00:00:00.9999999999999Z',
  '2026-01-01T24:00:00Z',
  '2026-06-30T23:59:60Z',
];

const TEXTS = [
  '%',
  '\\',
  '_'.repeat(240),
  'İ'.repeat(240),
  'ﬃ'.repeat(240),
  '\u0301'.repeat(240),
  '\u202e\u2066',
  '👨‍👩‍👧‍👦'.repeat(30),
  '\uffff',
  "'; DROP TABLE handoffs; --",
  '\u{10ffff}'.repeat(240),
  '\u0000',
];

const VALUES: unknown[] = [0, -1, 1e308, 1.5, true, null, [], {}, [[]], 'x', { toString: 1 }];

/** Calls, in batches, and what of them was neither answered nor refused. */
async function faults(agent: TestAgent, method: string, all: object[]): Promise<unknown[]> {
  const found: unknown[] = [];
  for (let start = 0; start < all.length; start += LIMITS.batchEntries) {
    const calls = all.slice(start, start + LIMITS.batchEntries);
    const batch = calls.map((params, id) => ({ jsonrpc: '2.0', id, method, params }));
    const { body } = await agent.post<WireRpcAnswer[]>(JSON.stringify(batch));
    const bad = (answer: WireRpcAnswer | undefined): boolean =>
      answer === undefined || ('error' in answer && ['internal', 'unavailable'].includes(answer.error.data.code));
    found.push(...calls.filter((_, index) => bad(body[index])));
  }
  return found;
}

describe('parameters of lists', () => {
  it('are answered or refused, however far they are from what is meant', async () => {
    const { bob, frank } = await relay.pair();
    for (const summary of ['İstanbul', 'ﬃ', 'a_b%'])
      await bob.send('frank@acme', { message: { role: 'user', parts: [{ type: 'text', text: summary }] } });
    const pages = [...CURSORS, ...VALUES].flatMap((value) => [
      { page: { cursor: value } },
      { page: { limit: value } },
      { page: value },
    ]);
    const filters = [...TIMES, ...TEXTS, ...VALUES].flatMap((value) =>
      ['since', 'updated_since', 'text', 'counterpart', 'status', 'role', 'intent'].map((name) => ({
        filter: { [name]: value },
      })),
    );
    const events = [...CURSORS, ...TIMES, ...VALUES].flatMap((value) => [
      { cursor: value },
      { since: value },
      { limit: value },
      { types: value },
      { actor: value },
    ]);
    expect(await faults(frank, 'tasks/list', [...pages, ...filters])).toEqual([]);
    expect(await faults(frank, 'events/list', events)).toEqual([]);
    expect(await faults(frank, 'agents/list', [...pages, ...VALUES.map((value) => ({ cursor: value }))])).toEqual([]);
  });

  it('in an address are answered or refused as well', async () => {
    const frank = await relay.agent('frank@acme');
    const found: unknown[] = [];
    for (const value of [...CURSORS.map((text) => text.slice(0, 4_000)), ...TIMES, ...TEXTS]) {
      for (const [path, name] of [
        ['/inbox', 'cursor'],
        ['/inbox', 'since'],
        ['/inbox', 'text'],
        ['/agents', 'cursor'],
        ['/agents/me/audit', 'cursor'],
        ['/agents/me/audit', 'since'],
      ]) {
        const { status } = await frank.rest('GET', `${path}?${name}=${encodeURIComponent(value)}`);
        if (status >= 500) found.push([path, name, value.slice(0, 50), status]);
      }
    }
    for (const query of [
      '?cursor=%ff',
      '?text=%00',
      '?text=%c0%80',
      '?a'.repeat(3_000),
      '?__proto__=1',
      '?text[]=1',
      '?text=1&text=2',
      '?&&&===',
    ]) {
      const { status } = await frank.rest('GET', `/inbox${query}`);
      if (status >= 500) found.push([query.slice(0, 50), status]);
    }
    expect(found).toEqual([]);
  });
});
