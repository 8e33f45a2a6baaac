import { OutcomeUnknown, RelayRefusal } from '@agentrelay/relay-client';
import { ToolText } from './provenance';

/** What to try after a refusal, where one step is likelier than the relay's own advice. */
const NEXT_STEP: Record<string, string> = {
  recipient_not_found: 'Call list_teammates to find the right handle.',
  thread_not_found: 'Call check_inbox to find the right thread.',
  thread_terminal: 'Call view_thread to read how it ended.',
  state_changed: 'Call view_thread to see where it stands.',
  unauthenticated: 'Your user needs a new key from the relay’s administrator.',
};

/** How an error reads to the model: what was wrong, whether anything was stored, what to try next. */
export function sayError(error: unknown, wrote: boolean): ToolText {
  const text = new ToolText();
  if (error instanceof RelayRefusal) {
    text.say(`${error.message} (${error.symbol})`);
    if (wrote) text.say('Nothing was stored.');
    const next = NEXT_STEP[error.symbol];
    if (next !== undefined) text.say(next);
    return text;
  }
  text.say(error instanceof Error ? error.message : String(error));
  if (error instanceof OutcomeUnknown && wrote) {
    text.say(
      'It is unknown whether this was stored. Call the same tool with the same arguments again: it cannot be stored twice.',
    );
  }
  return text;
}
