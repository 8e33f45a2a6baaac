import { OutcomeUnknown, RelayRefusal } from '@agentrelay/relay-client';
import { NotConfigured, WorkstationFileError } from '@agentrelay/workstation';
import { ToolText } from './provenance';
import { HumanKeyRefused } from './relay-session';
import { Withheld } from './trust';

/** What to try after a refusal, where one step is likelier than the relay's own advice. */
const NEXT_STEP: Record<string, string> = {
  recipient_not_found: 'Call list_teammates to find the right handle.',
  thread_not_found: 'Call check_inbox to find the right thread.',
  thread_terminal: 'Call view_thread to read how it ended.',
  state_changed: 'Call view_thread to see where it stands.',
  invalid_transition: 'Call view_thread to see where it stands.',
  not_authorized_transition: 'Call view_thread to see who is the sender and who the recipient.',
  teammate_blocked: 'Tell your user: only people lift blocks.',
  rate_limited: 'Wait a minute, then call again.',
  unavailable: 'Wait a minute, then call again.',
  unauthenticated: 'Your user needs a new key from the relay’s administrator.',
};

/** Whether it is certain that a call which failed so has stored nothing: refused by the relay, or never sent. */
export function storedNothing(error: unknown): boolean {
  return [RelayRefusal, NotConfigured, HumanKeyRefused, WorkstationFileError, Withheld].some(
    (certain) => error instanceof certain,
  );
}

/** One word for the ledger: the relay's symbol, or what kind of failure it was. */
export function symbolOf(error: unknown): string {
  if (error instanceof RelayRefusal) return error.symbol;
  return error instanceof Error ? error.name : 'failed';
}

/** How an error reads to the model: what was wrong, whether anything was stored, what to try next. */
export function sayError(error: unknown, wrote: boolean): ToolText {
  const text = new ToolText();
  const message = error instanceof Error ? error.message : String(error);
  text.say(error instanceof RelayRefusal ? `${message} (${error.symbol})` : message);
  if (wrote) {
    text.say(
      storedNothing(error)
        ? 'Nothing was stored.'
        : 'It is unknown whether this was stored. Call the same tool with the same arguments again: it cannot be stored twice.',
    );
  } else if (error instanceof OutcomeUnknown) {
    text.say('Nothing was lost. Call again in a while.');
  }
  const next = error instanceof RelayRefusal ? NEXT_STEP[error.symbol] : undefined;
  if (next !== undefined) text.say(next);
  return text;
}
