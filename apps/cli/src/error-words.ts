import { visibleLine } from '@agentrelay/untrusted-text';
import { HANDLE_PATTERN, preview } from '@agentrelay/protocol';
import { OutcomeUnknown, RelayRefusal } from '@agentrelay/relay-client';
import { redacted } from './redact';

/** Characters of a relay's message that are shown. */
const RELAY_MESSAGE = 500;
const MOST_SUGGESTIONS = 5;

/** What an error says, on one line: what the relay said stands in quotes and is cut, secrets are left out. */
export function wordsOf(error: unknown): string {
  if (error instanceof RelayRefusal) return `the relay says “${foreign(error.message)}”`;
  if (error instanceof OutcomeUnknown && error.cause instanceof RelayRefusal)
    return `the relay gave no answer that counts: “${foreign(error.message)}”`;
  return visibleLine(redacted(error instanceof Error ? error.message : String(error)));
}

/** The error's symbol, where it is one. */
export function symbolOf(error: unknown): string | undefined {
  const { symbol } = error as { symbol?: unknown };
  return typeof symbol === 'string' && /^[a-z_]{1,40}$/.test(symbol) ? symbol : undefined;
}

/** Handles that the relay suggests in place of one that it does not know. */
export function suggestionsOf({ details }: RelayRefusal): string[] {
  const near: unknown[] = Array.isArray(details['did_you_mean']) ? details['did_you_mean'] : [];
  const handles = near.filter((one): one is string => typeof one === 'string' && HANDLE_PATTERN.test(one));
  return handles.filter((one) => one.length <= 120).slice(0, MOST_SUGGESTIONS);
}

/** Quotes end only where ours do. */
function foreign(message: string): string {
  return visibleLine(redacted(preview(message, RELAY_MESSAGE))).replace(/[“”]/g, '"');
}
