import { visibleLine } from '@agentrelay/untrusted-text';
import { OutcomeUnknown, RelayRefusal, Unreachable } from '@agentrelay/relay-client';
import { CommanderError } from 'commander';
import { CommandFailed } from './command-failed';
import { suggestionsOf, symbolOf, wordsOf } from './error-words';

const FAILED = 1;
const USAGE = 2;
/** As a shell counts a program that Ctrl-C ended. */
const INTERRUPTED = 130;

/** What to do after a refusal of the relay, where its message does not say. */
const NEXT_STEP: Record<string, string> = {
  unauthenticated: "Ask an administrator for an invite, then: agentrelay join '<link>' --force",
  recipient_not_found: 'Look the handle up: ask your agent to list teammates.',
  state_changed: 'See where it stands: agentrelay inbox --role any --status accepted completed',
  thread_not_found: 'See what there is: agentrelay inbox --role any',
  invite_expired: 'Ask whoever invited you for a new link.',
  invalid_invite: 'Paste the whole link in quotes: the shell cuts it at & and #.',
  forbidden: 'Give the admin token of this relay in RELAY_ADMIN_TOKEN, or type it when asked.',
};

/** What to do after a conflict, by the field that it names. */
const AFTER_CONFLICT: Record<string, string> = {
  handle:
    'Choose another handle. For a new key of this one an administrator makes an invite: agentrelay invite <handle>',
  keys: 'See which there are: agentrelay keys. End one: agentrelay keys end <id>',
  key: "Ask an administrator for the new key, or for an invite, then: agentrelay join '<link>' --force",
};

/** Tells on stderr what went wrong, without secrets, and what to do next; returns the exit code. */
export function reportError(error: unknown): number {
  // Commander has said it already: help and version are no faults, anything else is one of usage.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
  // Ctrl-C at a question, which the person knows of.
  if (error instanceof Error && error.name === 'ExitPromptError') return INTERRUPTED;
  const symbol = symbolOf(error) ?? (isSilence(error) ? 'unavailable' : undefined);
  const next = nextStep(error);
  const lines = [
    `agentrelay: ${wordsOf(error)}${symbol === undefined ? '' : ` (${symbol})`}`,
    ...(next === undefined ? [] : next.split('\n')),
  ];
  process.stderr.write(`${lines.map(visibleLine).join('\n')}\n`);
  return FAILED;
}

function isSilence(error: unknown): boolean {
  return error instanceof OutcomeUnknown || error instanceof Unreachable;
}

function nextStep(error: unknown): string | undefined {
  if (error instanceof CommandFailed) return error.next;
  if (error instanceof RelayRefusal) {
    const near = suggestionsOf(error);
    if (near.length > 0) return `Did you mean ${near.join(' or ')}?`;
    return error.symbol === 'conflict' ? afterConflict(error) : NEXT_STEP[error.symbol];
  }
  return isSilence(error) ? 'Find out why: agentrelay doctor' : undefined;
}

function afterConflict({ details: { field } }: RelayRefusal): string | undefined {
  return typeof field === 'string' && Object.hasOwn(AFTER_CONFLICT, field) ? AFTER_CONFLICT[field] : undefined;
}
