import type { ErrorSymbol } from '@agentrelay/protocol';
import type { Call } from './commands';
import { blocks, type Handoff, HANDLES, type Remembered, type State } from './state';

/** domain.md 2, 4 and 5 as one function: the symbol of the refusal, an earlier write that is told again, or a go-ahead. */
export type Verdict = ErrorSymbol | 'done' | { again: Remembered } | { accepted: object };

/** Calls that write, and so take a key. */
export type Write = Extract<Call, { do: 'send' | 'accept' | 'complete' | 'cancel' | 'append' | 'draft' }>;

/** replay → participant or recipient → block → terminal → expected version → role and transition. */
export function verdictOn(call: Write, state: State): Verdict {
  const remembered = state.remembered.find(
    ({ agent, command, key }) => agent === call.by && command === call.do && key === call.key,
  );
  if (remembered !== undefined) {
    return remembered.args === argumentsOf(call, state) ? { again: remembered } : 'duplicate_idempotency_key';
  }
  if (call.do === 'send') return onSend(call, state);
  const handoff = state.handoffs[call.on];
  if (handoff === undefined || !isParticipant(handoff, call.by)) return 'thread_not_found';
  return onHandoff(call, handoff, state);
}

export function isParticipant({ sender, recipient }: Handoff, agent: number): boolean {
  return agent === sender || agent === recipient;
}

function onSend({ by, to }: Extract<Write, { do: 'send' }>, state: State): Verdict {
  if (HANDLES[to] === undefined) return 'recipient_not_found';
  if (to === by) return 'invalid_params';
  return isCutOff(by, to, state) ? 'teammate_blocked' : 'done';
}

function onHandoff(call: Exclude<Write, { do: 'send' }>, handoff: Handoff, state: State): Verdict {
  const { sender, recipient, status } = handoff;
  const isRecipient = call.by === recipient;
  if (call.do === 'accept' && isRecipient && call.session && call.session === handoff.session) {
    return { accepted: handoff.acceptance! };
  }
  const reaches = call.do === 'accept' || call.do === 'append' || call.do === 'draft';
  if (reaches && isCutOff(sender, recipient, state)) return 'teammate_blocked';
  if (status === 'completed' || status === 'cancelled') return 'thread_terminal';
  if ('expectedVersion' in call && (call.expectedVersion ?? handoff.version) !== handoff.version)
    return 'state_changed';
  switch (call.do) {
    case 'append':
      return 'done';
    case 'cancel':
      if (isRecipient) return 'not_authorized_transition';
      return status === 'pending' ? 'done' : 'invalid_transition';
    case 'accept':
      if (!isRecipient) return 'not_authorized_transition';
      return status === 'pending' ? 'done' : 'state_changed';
    case 'complete':
    case 'draft':
      if (!isRecipient) return 'not_authorized_transition';
      if (status === 'pending') return 'invalid_transition';
      return call.do === 'draft' && handoff.intent !== 'propose_action' ? 'invalid_intent_payload' : 'done';
  }
}

function isCutOff(one: number, other: number, state: State): boolean {
  return blocks(state, one, other) || blocks(state, other, one);
}

/** What of a call a key stands for; neither expected_version nor include_thread is part of it. */
export function argumentsOf(call: Write, state: State): string {
  const on = 'on' in call ? (state.handoffs[call.on]?.id ?? 'unknown') : '';
  switch (call.do) {
    case 'send':
      return JSON.stringify([call.to, call.intent, call.body, call.artifacts]);
    case 'append':
      return JSON.stringify([on, call.body, call.artifacts]);
    case 'draft':
      return JSON.stringify([on, call.body]);
    case 'accept':
      return JSON.stringify([on, call.session || null]);
    case 'complete':
      return JSON.stringify([on, call.body, call.artifacts, call.outcome ?? 'answered']);
    case 'cancel':
      return JSON.stringify([on]);
  }
}
