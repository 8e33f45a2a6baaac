import { OutcomeUnknown, RelayRefusal } from '@agentrelay/relay-client';
import { connectionOf } from '@agentrelay/workstation';
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
  if (given !== undefined) return explained(act(given), `--idempotency-key ${given}`);
  const pending = PendingKey.for(home(), [connectionOf(process.env), ...call]);
  try {
    const result = await explained(act(pending.key), undefined);
    pending.settle();
    return result;
  } catch (error) {
    if (isCertain(error, pending.repeats)) pending.settle();
    throw error;
  }
}

async function explained<Result>(answer: Promise<Result>, withKey: string | undefined): Promise<Result> {
  try {
    return await answer;
  } catch (cause) {
    if (!(cause instanceof OutcomeUnknown)) throw cause;
    const how = withKey === undefined ? 'within ten minutes' : `with the same ${withKey}`;
    throw new CommandFailed(
      `${wordsOf(cause)} It is unknown whether this was stored.`,
      `Run the same command again ${how}: it cannot be stored twice.`,
      'unavailable',
      { cause },
    );
  }
}

/** Whether nothing of this call, nor of one that it repeats, can still turn out to be stored. */
function isCertain(error: unknown, repeats: boolean): boolean {
  if (error instanceof CommandFailed && error.cause instanceof OutcomeUnknown) return false;
  return !repeats || (error instanceof RelayRefusal && error.isOfEveryAttempt);
}

/** The session that this workstation's command line works in: accepting again from here is no conflict. */
export function sessionId(configured: string | null | undefined): string {
  return configured || 'agentrelay-cli';
}
