import { LIMITS, RelayError } from '@agentrelay/protocol';
import { recipientNotFound, refuseIfBlocked } from '../../agents';
import type { LockedHandoff } from '../locked-handoff';
import { refuseUnanswerable } from '../handoff.errors';
import { decide, isTerminal, type Refusal } from './handoff-state';
import type { ThreadAction, ThreadWrite } from './thread-write';

/** Refuses a write on a handoff by throwing. */
type Check = (handoff: LockedHandoff, write: ThreadWrite) => void;

/** What every write on a handoff is checked for, in this order (domain.md 4). The first that refuses is told. */
const CHECKS: readonly Check[] = [
  counterpartIsActive,
  noBlockStands,
  threadIsLive,
  versionIsExpected,
  actionIsAllowed,
  (handoff, write) => write.check?.(handoff),
  threadTakesMessages,
  (_, { message }) => message && refuseUnanswerable(message),
];

/** @throws RelayError of the first check that refuses */
export function checkWrite(handoff: LockedHandoff, write: ThreadWrite): void {
  for (const check of CHECKS) check(handoff, write);
}

function counterpartIsActive({ counterpart }: LockedHandoff, { action }: ThreadWrite): void {
  if (action.addressesCounterpart === true && !counterpart.active) throw recipientNotFound(counterpart.handle);
}

function noBlockStands({ counterpart, blocks }: LockedHandoff, { action }: ThreadWrite): void {
  if (action.refusedByBlock) refuseIfBlocked(counterpart.handle, blocks);
}

function threadIsLive(handoff: LockedHandoff, { action }: ThreadWrite): void {
  if (isTerminal(handoff.status)) throw refusal('thread_terminal', action, handoff);
}

/** Refuses when the caller's picture of the handoff is out of date. */
function versionIsExpected({ version }: LockedHandoff, { expectedVersion: expected }: ThreadWrite): void {
  if (expected === undefined || expected === version) return;
  const message = `The handoff is at version ${version}, not ${expected}; read the thread again, then decide.`;
  throw new RelayError('state_changed', message, { expected_version: expected, version });
}

function actionIsAllowed(handoff: LockedHandoff, { action }: ThreadWrite): void {
  const verdict = decide(action.rule, handoff.status, handoff.side);
  if (verdict !== 'allowed') throw refusal(verdict, action, handoff);
}

/** How many bytes the thread holds is known to the writing statement alone. */
function threadTakesMessages({ messageCount }: LockedHandoff, { action }: ThreadWrite): void {
  const limit = LIMITS.messagesPerThread;
  if (action.boundedByThread !== true || messageCount < limit) return;
  const message = `The thread has reached ${limit} messages; complete it and send a new handoff.`;
  throw new RelayError('invalid_params', message, { limit });
}

function refusal(symbol: Refusal, action: ThreadAction, handoff: LockedHandoff): RelayError {
  return new RelayError(symbol, action.advice?.[symbol] ?? explain(symbol, action, handoff), {
    status: handoff.status,
    version: handoff.version,
    ...(symbol === 'state_changed' ? acceptance(handoff) : {}),
  });
}

function acceptance(handoff: LockedHandoff): Record<string, unknown> {
  return {
    accepted_at: handoff.acceptedAt?.toISOString(),
    accepted_session_id: handoff.acceptedSessionId ?? undefined,
  };
}

function explain(symbol: Refusal, { verb, rule }: ThreadAction, handoff: LockedHandoff): string {
  switch (symbol) {
    case 'thread_terminal':
      return `The handoff is ${handoff.status} and read-only; send a new handoff to go on.`;
    case 'not_authorized_transition':
      return `Only the ${rule.by.join(' or the ')} can ${verb} a handoff; send a message to ask for it.`;
    case 'state_changed':
      return `${handoff.recipient.handle} already accepted this handoff at ${handoff.acceptedAt?.toISOString()} in another session; view_thread reads it.`;
    case 'invalid_transition':
      return `The handoff is still pending; accept it before you ${verb} it.`;
  }
}
