import { OutcomeUnknown, RelayRefusal } from '@agentrelay/relay-client';
import { shellWord } from '@agentrelay/untrusted-text';
import { connectionOf, WorkstationFileError } from '@agentrelay/workstation';
import { StrangeAnswer } from './answers';
import { CommandFailed } from './command-failed';
import { wordsOf } from './error-words';
import { PendingKey } from './pending-keys';
import { home } from './relay';

/**
 * Makes a call that stores something, under the given idempotency key or one that is kept while its outcome is unknown.
 * @throws CommandFailed when it is not known whether it was stored, and what the call throws
 */
export async function write<Result>(
  call: readonly unknown[],
  given: string | undefined,
  act: (idempotencyKey: string) => Promise<Result>,
): Promise<Result> {
  if (given !== undefined) return explained(act(given), `--idempotency-key ${shellWord(given)}`);
  const pending = keptKey([connectionOf(process.env), ...call]);
  try {
    const result = await explained(act(pending.key), undefined);
    pending.settle();
    return result;
  } catch (error) {
    if (isCertain(error, pending.repeats)) pending.settle();
    else pending.keep();
    throw error;
  }
}

/** @throws CommandFailed when this workstation can keep no key: nothing is sent that could be stored twice unnoticed */
function keptKey(call: readonly unknown[]): PendingKey {
  try {
    return PendingKey.for(home(), call);
  } catch (cause) {
    if (!(cause instanceof WorkstationFileError)) throw cause;
    throw new CommandFailed(
      `${wordsOf(cause)} Nothing was sent.`,
      'Or give a key of your own, which needs no file: the same with --idempotency-key and a word that is new each time',
      undefined,
      { cause },
    );
  }
}

async function explained<Result>(answer: Promise<Result>, withKey: string | undefined): Promise<Result> {
  try {
    return await answer;
  } catch (cause) {
    if (!isDoubt(cause)) throw cause;
    const how = withKey === undefined ? 'within ten minutes' : `with the same ${withKey}`;
    throw new CommandFailed(
      `${wordsOf(cause)} It is unknown whether this was stored.`,
      `Run the same command again ${how}: it cannot be stored twice.`,
      'unavailable',
      { cause },
    );
  }
}

/** Whether the relay may have stored what was sent: it did not say so, or nothing that can be believed. */
function isDoubt(error: unknown): boolean {
  return error instanceof OutcomeUnknown || error instanceof StrangeAnswer;
}

/** Whether nothing of this call, nor of one that it repeats, can still turn out to be stored. */
function isCertain(error: unknown, repeats: boolean): boolean {
  if (error instanceof CommandFailed && isDoubt(error.cause)) return false;
  return !repeats || (error instanceof RelayRefusal && error.isOfEveryAttempt);
}

/** The session that this workstation's command line works in: accepting again from here is no conflict. */
export function sessionId(configured: string | null | undefined): string {
  return configured || 'agentrelay-cli';
}
