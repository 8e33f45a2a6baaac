import { isErrorSymbol, preview } from '@agentrelay/protocol';
import { OutcomeUnknown, RelayRefusal, Unreachable } from '@agentrelay/relay-client';
import { NotConfigured, WorkstationFileError } from '@agentrelay/workstation';
import { NoSuchPlace, ToolText } from './provenance';
import { HumanKeyRefused } from './relay-session';
import { Withheld } from './trust';

/** Characters of a message that are shown. */
const MAX_MESSAGE = 1_500;

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

/** Of which call it is unknown whether it has stored anything: this one, only the one that it repeats, or neither. */
export type Doubt = 'none' | 'earlier' | 'this';

const WHAT_WAS_STORED: Record<Doubt, string> = {
  none: 'Nothing was stored.',
  earlier:
    'This call stored nothing; whether the same call before it did is still unknown. Once that is mended, call the same tool with the same arguments again: it cannot be stored twice.',
  this: 'It is unknown whether this was stored. Call the same tool with the same arguments again: it cannot be stored twice.',
};

/** What a failure leaves in doubt, when the call is the first of its kind or `repeats` one whose outcome is unknown. */
export function doubtAfter(error: unknown, repeats: boolean): Doubt {
  // Refused by the relay, or never sent.
  const isCertain = [
    RelayRefusal,
    Unreachable,
    NotConfigured,
    HumanKeyRefused,
    WorkstationFileError,
    Withheld,
    NoSuchPlace,
  ].some((certain) => error instanceof certain);
  if (!isCertain) return 'this';
  if (!repeats || (error instanceof RelayRefusal && error.isOfEveryAttempt)) return 'none';
  return 'earlier';
}

/** One word for the ledger: the relay's symbol, or what kind of failure it was. */
export function symbolOf(error: unknown): string {
  if (error instanceof RelayRefusal) return error.symbol;
  return error instanceof Error ? error.name : 'failed';
}

/** How an error reads to the model: what was wrong, what a call that writes has stored (`doubt`), what to try next. */
export function sayError(error: unknown, doubt?: Doubt): ToolText {
  const text = new ToolText();
  sayWhatWasWrong(text, error);
  if (doubt !== undefined) {
    text.say(WHAT_WAS_STORED[doubt]);
  } else if (error instanceof OutcomeUnknown || error instanceof Unreachable) {
    text.say('Nothing was lost. Call again in a while.');
  }
  const refusal = doubt !== undefined && error instanceof OutcomeUnknown ? error.cause : error;
  const next = refusal instanceof RelayRefusal ? NEXT_STEP[refusal.symbol] : undefined;
  if (next !== undefined) text.say(next);
  return text;
}

/** What the relay said stands in a block: whoever runs it, or what it quotes, may be anybody. */
function sayWhatWasWrong(text: ToolText, error: unknown): void {
  const refusal = error instanceof OutcomeUnknown ? error.cause : error;
  if (!(refusal instanceof RelayRefusal) || !refusal.isWordedByRelay) {
    text.say(preview(error instanceof Error ? error.message : String(error), MAX_MESSAGE));
    return;
  }
  const symbol = isErrorSymbol(refusal.symbol) ? refusal.symbol : 'with a word that this version does not know';
  if (refusal === error) text.say(`The relay refused: ${symbol}.`);
  else if (refusal.httpStatus >= 500) text.say(`The relay failed: ${symbol}.`);
  else text.say(`The relay did not answer at first, and then refused: ${symbol}.`);
  text.untrusted('the relay', [{ label: 'what it says', content: preview(refusal.message, MAX_MESSAGE) }]);
}
