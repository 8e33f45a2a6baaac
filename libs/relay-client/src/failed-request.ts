/** What keeps a connection from being made; what follows on it has then not been sent. */
const NO_CONNECTION: readonly string[] = [
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_SSL_WRONG_VERSION_NUMBER',
  'ERR_SSL_PACKET_LENGTH_TOO_LONG',
  'ERR_INVALID_URL',
  'ERR_INVALID_CHAR',
  'UND_ERR_INVALID_ARG',
];

/** What `fetch` says of a port that it never uses, such as 9 or 6000; it has no code. */
const BAD_PORT = 'bad port';

/** How undici tells that a proxy would not connect; the request has then not been sent. */
const PROXY_REFUSAL = /^Proxy response \((\d+)\)/;

/** What kept a request from being answered, in one or two words: the network's, TLS's or the clock's. */
export function codeOf(error: unknown): string {
  const { cause, code, name, message } = error as { cause?: unknown; code?: unknown; name: string; message?: unknown };
  const [, status] = PROXY_REFUSAL.exec(String(message)) ?? [];
  if (status !== undefined) return `the proxy answers ${status}`;
  if (typeof code === 'string') return code;
  if (message === BAD_PORT) return BAD_PORT;
  return cause === undefined ? name : codeOf(cause);
}

/** Whether a request failed before any of it was sent, so that it certainly changed nothing. */
export function neverLeft(error: unknown): boolean {
  const { cause, code, syscall, message } = error as Record<'cause' | 'code' | 'syscall' | 'message', unknown>;
  if (syscall === 'connect' || syscall === 'getaddrinfo' || message === BAD_PORT) return true;
  if (PROXY_REFUSAL.test(String(message))) return true;
  if (typeof code === 'string') return NO_CONNECTION.includes(code);
  return cause !== undefined && neverLeft(cause);
}
