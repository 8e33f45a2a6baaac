import fc from 'fast-check';
import { damaged, hostileText, hostileValue, spoilt, TASK_ID } from './hostile-values';

const message = { role: 'user', parts: [{ type: 'text', text: 'Please have a look 🙂' }] };
const artifacts = [
  { type: 'link', url: 'https://example.com/' },
  { type: 'file_ref', path: 'a.ts', lines: [1, 2], extra: { kept: true } },
];
const proposed_action = { description: 'd', target_files: ['a'], rationale: 'r', suggested_diff: 's' };

/** An honest call of every method, with every parameter it takes. */
const CALLS: [method: string, params: object][] = [
  ['message/send', { recipient: 'ben@acme', message, intent: 'inform', artifacts, payload: { a: 1 }, metadata: { b: [1] } }],
  ['message/send', { recipient: 'cat', message, intent: 'propose_action', proposed_action, idempotency_key: 'k' }],
  ['message/send', { task_id: TASK_ID, message, artifacts, payload: {}, metadata: {} }],
  ['tasks/get', { task_id: TASK_ID, mark_read: true, history_length: 5, after_sequence_no: 0 }],
  ['tasks/list', { filter: { role: 'any', status: ['pending'], intent: 'inform', counterpart: 'ann@acme', text: 'look' }, page: { limit: 5 }, peek: true }],
  ['tasks/list', { filter: { since: '2020-01-01T00:00:00Z', updated_since: '2020-01-01T00:00:00Z' }, page: { limit: 2 } }],
  ['tasks/update', { task_id: TASK_ID, transition: 'accept', session_id: 's', include_thread: true, expected_version: 1 }],
  ['tasks/update', { task_id: TASK_ID, transition: 'accept' }],
  ['tasks/update', { task_id: TASK_ID, transition: 'complete', result_summary: 'done', artifacts, outcome: 'answered' }],
  ['tasks/update', { task_id: TASK_ID, transition: 'cancel' }],
  ['tasks/cancel', { task_id: TASK_ID, expected_version: 1, metadata: { client_idempotency_key: 'c' } }],
  ['tasks/draft', { task_id: TASK_ID, drafted_diff: 'd', drafted_files: ['f'], rationale: 'r', alternatives_considered: 'a' }],
  ['agents/list', { role: 'developer', skill: 'ts', repo: 'acme/', page: { limit: 3 } }],
  ['events/list', { types: ['handoff.created'], limit: 5, wait_ms: 5, include_own: true }],
]; // prettier-ignore

const aCall = fc.constantFrom(...CALLS);

function entry(method: unknown, params: unknown, id: unknown): object {
  return { jsonrpc: '2.0', id, method, params };
}

const damagedCall: fc.Arbitrary<object> = aCall.chain(([method, params]) =>
  damaged(params).map((bad) => entry(method, bad, 1)),
);

/** A good call one of whose nested objects or lists is damaged. */
const damagedInside: fc.Arbitrary<object> = aCall.chain(([method, params]) => {
  const inner = Object.entries(params).filter(([, value]) => typeof value === 'object' && !Array.isArray(value));
  if (inner.length === 0) return fc.constant(entry(method, params, 1));
  return fc
    .constantFrom(...inner)
    .chain(([name, value]) => damaged(value as object).map((bad) => entry(method, { ...params, [name]: bad }, 1)));
});

const damagedArtifacts: fc.Arbitrary<object> = fc
  .array(fc.oneof(...artifacts.map(damaged), hostileValue), { minLength: 1, maxLength: 3 })
  .map((list) => entry('message/send', { recipient: 'ben@acme', message, artifacts: list }, 1));

const hostileParts: fc.Arbitrary<object> = fc
  .array(
    fc.oneof(
      hostileText.map((text) => ({ type: 'text', text })),
      hostileValue,
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) => entry('message/send', { recipient: 'ben@acme', message: { role: 'user', parts } }, 1));

const oddEnvelope: fc.Arbitrary<object> = aCall.chain(([method, params]) => damaged(entry(method, params, 1)));

const anyEntry: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: aCall.map(([method, params]): unknown => entry(method, params, 1)) },
  { weight: 3, arbitrary: damagedCall },
  { weight: 2, arbitrary: damagedInside },
  { weight: 1, arbitrary: damagedArtifacts },
  { weight: 1, arbitrary: hostileParts },
  { weight: 1, arbitrary: oddEnvelope },
  { weight: 1, arbitrary: hostileValue },
  { weight: 1, arbitrary: fc.tuple(hostileText, hostileValue, hostileValue).map((members) => entry(...members)) },
);

const batch = fc.oneof(
  fc.array(anyEntry, { maxLength: 6 }),
  fc.integer({ min: 18, max: 23 }).map((size) => Array.from({ length: size }, () => entry('agents/list', {}, null))),
  aCall.map(([method, params]) => [{ jsonrpc: '2.0', method, params }]),
);

/** Bodies up to and beyond the limit of 4 MiB; seldom, because they cost as much as a thousand others. */
const huge = fc
  .constantFrom(4 * 1024 * 1024 - 200, 4 * 1024 * 1024, 4 * 1024 * 1024 + 1, 5_000_000)
  .chain((size) =>
    fc.constantFrom(
      `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":"${'x'.repeat(size - 100)}"}}`,
      `[${'1,'.repeat(size / 2)}1]`,
      '['.repeat(size),
      ' '.repeat(size),
    ),
  );

export const rpcBody: fc.Arbitrary<string | Buffer> = fc.oneof<fc.WeightedArbitrary<string | Buffer>[]>(
  { weight: 300, arbitrary: anyEntry.map((value) => JSON.stringify(value)) },
  { weight: 40, arbitrary: batch.map((entries) => JSON.stringify(entries)) },
  { weight: 60, arbitrary: anyEntry.chain((value) => spoilt(JSON.stringify(value))) },
  { weight: 1, arbitrary: huge },
);
