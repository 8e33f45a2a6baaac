/** Classes of PostgreSQL and socket errors that mean "the database is away, or gave this up", not "the relay is wrong". */
const AWAY = /^(08|57P|53|40001|40P01|25P03|57014|55P03|55000|3D000)/;
const SOCKET = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN']);
const UNANSWERED = 'Query read timeout';
/** What the driver, its pool, and TypeORM's query runner say of a connection that broke while it was lent. */
const POOL =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Query runner already released/;

/** Whether `error` says that the database could not be reached or did not answer in time. */
export function isDatabaseAway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, cause } = error as { code?: unknown; message?: unknown; cause?: unknown };
  if (typeof code === 'string' && (AWAY.test(code) || SOCKET.has(code))) return true;
  return (typeof message === 'string' && POOL.test(message)) || isUnanswered(error) || isDatabaseAway(cause);
}

/** Whether `error` says that the database did not even answer that it gave up: its connection is of no more use. */
export function isUnanswered(error: unknown): boolean {
  const { message } = (error ?? {}) as { message?: unknown };
  return typeof message === 'string' && message.includes(UNANSWERED);
}

/** The name of the unique constraint that `error` reports as broken, if it does. */
export function brokenUniqueConstraint(error: unknown): string | undefined {
  const { code, constraint } = (error ?? {}) as { code?: unknown; constraint?: unknown };
  return code === '23505' && typeof constraint === 'string' ? constraint : undefined;
}
