/** Something did not finish in its time. */
export class TimedOut extends Error {}

/**
 * The outcome of `work`, if it comes within `ms` milliseconds. Work that is late goes on, unheard.
 * @throws TimedOut
 */
export async function within<Result>(ms: number, work: () => Promise<Result>): Promise<Result> {
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
