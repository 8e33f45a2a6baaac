import { appendFileSync } from 'node:fs';

const noted = new Set<string>();

/** Notes which symbols of the error catalogue an answer of a relay holds, so that a whole run knows which were never produced. */
export function noteSymbols(body: unknown): void {
  const file = process.env['AGENTRELAY_TEST_SYMBOLS'];
  if (file === undefined) return;
  for (const answer of Array.isArray(body) ? (body as unknown[]) : [body]) {
    const { code, error } = (answer ?? {}) as { code?: unknown; error?: { data?: { code?: unknown } } };
    const symbol = error?.data?.code ?? code;
    if (typeof symbol !== 'string' || noted.has(symbol)) continue;
    noted.add(symbol);
    appendFileSync(file, `${symbol}\n`);
  }
}
