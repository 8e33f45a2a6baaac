/** Classes of PostgreSQL and socket errors that mean "the database is away, or gave this up", not "the relay is wrong". */
const AWAY = /^(08|57P|53|40001|40P01|25P03|57014|55P03|55000|3D000)/;
const SOCKET = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);
const POOL = /Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error/;

/** Whether `error` says that the database could not be reached or did not answer in time. */
export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = (error as { code?: unknown }).code;
  if (typeof code === 'string' && (AWAY.test(code) || SOCKET.has(code))) return true;
  return POOL.test(error.message) || isDatabaseAway(error.cause);
}

/** The name of the unique constraint that `error` reports as broken, if it does. */
export function brokenUniqueConstraint(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return code === '23505' && typeof constraint === 'string' ? constraint : undefined;
}
