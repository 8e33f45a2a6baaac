/** Classes of PostgreSQL errors that mean "the database is away, or gave this up", not "the relay is wrong". */
const AWAY = /^(08|28|57P|53|58|25006|40001|40P01|25P03|57014|55P03|55000|3D000)/;
const SOCKET = new Set([
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EAI_AGAIN',
  'EHOSTDOWN',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'ENOTFOUND',
  'EPIPE',
  'ETIMEDOUT',
]);
const UNANSWERED = 'Query read timeout';
/** What the driver, its pool, and TypeORM's query runner say of a connection that broke while it was lent. */
const POOL =
  /Connection terminated|timeout exceeded when trying to connect|timeout expired|Client has encountered a connection error|Client was closed|Query runner already released/;

/** Errors of the relay's own connections. An extension's own network call fails with the same codes and is another matter. */
const ours = new WeakSet<object>();

/** The database answers, but cannot be used now. */
export class DatabaseAway extends Error {
  constructor(message: string) {
    super(message);
    markOwn(this);
  }
}

/** Notes that an error came from one of the relay's own connections. */
export function markOwn(error: object): void {
  ours.add(error);
}

/** Does what asks one of the relay's own connections; its errors are known by `isDatabaseAway`. */
export async function onOwnConnection<Result>(ask: () => Promise<Result>): Promise<Result> {
  try {
    return await ask();
  } catch (error) {
    if (typeof error === 'object' && error !== null) markOwn(error);
    throw error;
  }
}

/** Whether `error` says that the relay's database could not be reached, cannot be written, or did not answer in time. */
export function isDatabaseAway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  if (!ours.has(error)) return isDatabaseAway((error as { cause?: unknown }).cause);
  return error instanceof DatabaseAway || saysAway(error);
}

function saysAway(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { code, message, cause, errors } = error as {
    code?: unknown;
    message?: unknown;
    cause?: unknown;
    errors?: unknown;
  };
  if (typeof code === 'string' && (AWAY.test(code) || SOCKET.has(code))) return true;
  if (typeof message === 'string' && POOL.test(message)) return true;
  // An address with several records fails with all of their errors.
  return isUnanswered(error) || saysAway(cause) || (Array.isArray(errors) && errors.some(saysAway));
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

/** Whether `error` says that a row which something refers to is gone. */
export function isForeignKeyBroken(error: unknown): boolean {
  return ((error ?? {}) as { code?: unknown }).code === '23503';
}
