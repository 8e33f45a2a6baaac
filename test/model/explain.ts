import assert from 'node:assert/strict';
import {
  ERRORS,
  type WireAppended,
  type WireList,
  type WireSent,
  type WireThread,
  type WireTransition,
} from '@agentrelay/protocol';
import type { Call } from './commands';
import { argumentsOf, isParticipant, verdictOn, type Write } from './rules';
import { blocks, type Handoff, HANDLES, markRead, type Message, type State } from './state';
import {
  artifactsOf,
  comparablePage,
  comparableThread,
  listed,
  listView,
  shown,
  threadView,
  transitionView,
} from './views';
import { same } from './same';

/** What the relay answered: the symbol of a refusal with its HTTP status, or a result. */
export type Answer = { refused: string; status: number } | { result: unknown };

/** What a call still does after the moment that its answer shows: a read moves the reader's position. */
export type Afterwards = ((state: State) => void) | undefined;

/**
 * Holds an answer against the model and does the same to it. Ids and times are taken over from the answer.
 * @throws AssertionError when the model would have answered otherwise
 */
export function explain(state: State, call: Call, answer: Answer): Afterwards {
  switch (call.do) {
    case 'get':
      return read(state, call, answer);
    case 'list':
      return list(state, call, answer);
    case 'block':
    case 'unblock':
      return block(state, call, answer);
    case 'events':
      // What readers of the log see is judged against the log itself (readers.ts).
      return void resultOf(answer);
    default:
      return write(state, call, answer);
  }
}

function refuse(answer: Answer, symbol: keyof typeof ERRORS): undefined {
  same(answer, { refused: symbol, status: ERRORS[symbol].http });
}

function resultOf(answer: Answer): object {
  if (!('result' in answer)) assert.fail(`It was refused with ${answer.refused}, but the model says it succeeds.`);
  return answer.result as object;
}

function write(state: State, call: Write, answer: Answer): Afterwards {
  const verdict = verdictOn(call, state);
  if (typeof verdict === 'string' && verdict !== 'done') return refuse(answer, verdict);
  const { thread, ...result } = resultOf(answer) as { thread?: WireThread };
  if (verdict === 'done') {
    const handoff = change(state, call, result);
    if (call.key !== undefined) {
      const args = argumentsOf(call, state);
      const { by: agent, do: command, key } = call;
      state.remembered.push({ agent, command, key, args, handoff, answer: result });
    }
  } else {
    const original = 'again' in verdict ? verdict.again.answer : verdict.accepted;
    same(result, { ...original, replayed: true });
  }
  if (call.do === 'accept') threadOfAccept(state, call, thread);
  else assert.equal(thread, undefined);
  return undefined;
}

function threadOfAccept(state: State, call: Extract<Call, { do: 'accept' }>, thread: WireThread | undefined): void {
  if (!call.includeThread) return assert.equal(thread, undefined);
  const handoff = state.handoffs[call.on]!;
  markRead(handoff, call.by, 1, handoff.messages.length);
  same(thread && comparableThread(thread, handoff), threadView(handoff, call.by));
}

/** Does what a successful write does, after comparing what it answered. Returns the number of the handoff. */
function change(state: State, call: Write, result: object): number {
  if (call.do === 'send') return send(state, call, result as WireSent);
  const handoff = state.handoffs[call.on]!;
  const { version } = handoff;
  switch (call.do) {
    case 'append':
    case 'draft':
      append(handoff, call, result as WireAppended);
      break;
    default:
      transition(handoff, call, result as WireTransition);
  }
  assert.ok(handoff.updatedAt >= handoff.createdAt);
  const payload = { version: handoff.version, sequence_no: handoff.messages.length };
  assert.ok(handoff.version === version || handoff.version === version + 1);
  record(state, EVENT[call.do], call.by, payload, call.on);
  return call.on;
}

const EVENT = {
  accept: 'handoff.accepted',
  complete: 'handoff.completed',
  cancel: 'handoff.cancelled',
  append: 'message.appended',
  draft: 'draft.appended',
} as const;

function send(state: State, call: Extract<Call, { do: 'send' }>, sent: WireSent): number {
  const { by, to, intent, body } = call;
  const { task_id: id, created_at: at, inbox_url: inboxUrl } = sent;
  same(sent, {
    task_id: id,
    thread_id: id,
    status: { state: 'pending' },
    recipient: HANDLES[to],
    created_at: at,
    inbox_url: inboxUrl,
    version: 1,
  });
  assert.ok(!state.handoffs.some((known) => known.id === id), 'an id was given twice');
  const summary: Message = {
    author: by,
    kind: 'summary',
    body,
    payload: {},
    artifacts: artifactsOf(call.artifacts),
    at,
  };
  state.handoffs.push({
    id, inboxUrl, sender: by, recipient: to, intent, status: 'pending', version: 1, messages: [summary],
    createdAt: at, updatedAt: at, readTo: HANDLES.map(() => 0), listed: false, opened: false,
  }); // prettier-ignore
  record(state, 'handoff.created', by, { intent }, state.handoffs.length - 1);
  return state.handoffs.length - 1;
}

function append(handoff: Handoff, call: Extract<Call, { do: 'append' | 'draft' }>, appended: WireAppended): void {
  const { message_id: id, created_at: at } = appended;
  const told = { message_id: id, sequence_no: handoff.messages.length + 1, created_at: at };
  same(appended, { task_id: handoff.id, thread_id: handoff.id, ...told });
  assert.ok(at >= handoff.updatedAt, 'time went back on a thread');
  const { by: author, body } = call;
  const message =
    call.do === 'draft'
      ? { kind: 'draft' as const, payload: { ...draftOf(body), rationale: body }, artifacts: [] }
      : { kind: 'message' as const, payload: {}, artifacts: artifactsOf(call.artifacts) };
  handoff.messages.push({ author, body, at, id, ...message });
  handoff.updatedAt = at;
}

export function draftOf(body: string): object {
  return { drafted_diff: `--- ${body}`, drafted_files: ['a.ts'] };
}

function transition(
  handoff: Handoff,
  call: Extract<Call, { do: 'accept' | 'complete' | 'cancel' }>,
  answered: WireTransition,
): void {
  const at = answered.updated_at;
  assert.ok(at >= handoff.updatedAt, 'time went back on a thread');
  handoff.version++;
  handoff.updatedAt = at;
  switch (call.do) {
    case 'accept':
      Object.assign(handoff, { status: 'accepted', acceptedAt: at });
      if (call.session) handoff.session = call.session;
      break;
    case 'complete': {
      Object.assign(handoff, { status: 'completed', completedAt: at, outcome: call.outcome ?? 'answered' });
      const { by: author, body } = call;
      handoff.messages.push({ author, kind: 'result', body, payload: {}, artifacts: artifactsOf(call.artifacts), at });
      break;
    }
    case 'cancel':
      Object.assign(handoff, { status: 'cancelled', cancelledAt: at });
  }
  same(answered, transitionView(handoff));
  if (call.do === 'accept') handoff.acceptance = answered;
}

function read(state: State, call: Extract<Call, { do: 'get' }>, answer: Answer): Afterwards {
  const handoff = state.handoffs[call.on];
  if (handoff === undefined || !isParticipant(handoff, call.by)) return refuse(answer, 'thread_not_found');
  const { first, messages } = shown(handoff, call.after, call.historyLength);
  const last = first + messages.length - 1;
  const moves = (of: Handoff): void => {
    if (call.markRead !== false) markRead(of, call.by, first, messages.length === 0 ? 0 : last);
  };
  const seen = structuredClone(handoff);
  moves(seen);
  same(
    comparableThread(resultOf(answer) as WireThread, handoff),
    threadView(seen, call.by, call.after, call.historyLength),
  );
  return (later) => moves(later.handoffs[call.on]!);
}

function list(state: State, call: Extract<Call, { do: 'list' }>, answer: Answer): undefined {
  const pages = resultOf(answer) as WireList[];
  const numbers = listed(state, call);
  const expected = listView(state, numbers, call.by, call.limit);
  same(pages.map(comparablePage), expected.slice(0, pages.length));
  same(
    pages.map((page) => 'as_of' in page),
    pages.map((_, i) => i === 0),
  );
  for (const n of call.peek ? [] : numbers) {
    if (state.handoffs[n]!.recipient === call.by) state.handoffs[n]!.listed = true;
  }
}

function block(state: State, call: Extract<Call, { do: 'block' | 'unblock' }>, answer: Answer): undefined {
  const { by, whom } = call;
  if (HANDLES[whom] === undefined) return refuse(answer, 'recipient_not_found');
  if (call.do === 'block' && whom === by) return refuse(answer, 'invalid_params');
  const { created_at, ...result } = resultOf(answer) as { created_at?: string };
  same(result, { handle: HANDLES[whom], ...(call.do === 'unblock' ? { blocked: false } : {}) });
  assert.equal(typeof created_at, call.do === 'block' ? 'string' : 'undefined');
  if (blocks(state, by, whom) === (call.do === 'block')) return;
  const name = `${by}>${whom}`;
  state.blocks = call.do === 'block' ? [...state.blocks, name] : state.blocks.filter((other) => other !== name);
  record(state, call.do === 'block' ? 'block.added' : 'block.removed', by, { blocked: whom });
}

function record(state: State, type: string, actor: number, payload: object, handoff?: number): void {
  const { step } = state;
  state.events.push({ type, actor, payload, step, ...(handoff === undefined ? {} : { handoff }) });
}
