/** Waits until `condition` yields a value that is not undefined or false, and returns it. @throws Error after `limitMs` */
export async function eventually<Value>(
  what: string,
  condition: () => Promise<Value | undefined | false> | Value | undefined | false,
  limitMs = 10_000,
): Promise<Value> {
  const end = Date.now() + limitMs;
  for (;;) {
    const value = await condition();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > end) throw new Error(`Waited ${limitMs} ms in vain until ${what}.`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
