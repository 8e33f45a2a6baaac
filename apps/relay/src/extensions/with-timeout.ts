import { type ErrorDetails, RelayError } from '@agentrelay/protocol';

/** Something did not finish in its time. */
export class TimedOut extends Error {}

/**
 * The outcome of `work`, if it comes within `ms` milliseconds. Work that is late goes on, unheard.
 * @throws TimedOut
 */
export async function withTimeout<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TimedOut(`It did not finish within ${ms} ms.`)), ms);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How long an extension may take to answer a question that a request, or a probe, waits for. */
export const EXTENSION_ANSWER_MS = 2_000;

/** What an extension answers in time. @throws RelayError unavailable, with this message, when it does not; else what it throws */
export async function callExtension<Answer>(
  ask: () => Promise<Answer>,
  message: string,
  details: ErrorDetails,
): Promise<Answer> {
  try {
    return await withTimeout(EXTENSION_ANSWER_MS, ask);
  } catch (error) {
    if (!(error instanceof TimedOut)) throw error;
    throw new RelayError('unavailable', message, details, { cause: error });
  }
}
