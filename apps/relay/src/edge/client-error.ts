import type { Socket } from 'node:net';
import { STATUS_CODES } from 'node:http';
import { v7 as uuidv7 } from 'uuid';

const REASONS: Record<string, { status: number; message: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers are larger than this relay takes.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time.' },
};
const MALFORMED = { status: 400, message: 'This is not HTTP that the relay can read.' };

/** Answers what never became a request, in the shape of every other refusal, and hangs up. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, message } = REASONS[error.code ?? ''] ?? MALFORMED;
  const requestId = uuidv7();
  const body = JSON.stringify({ code: 'invalid_request', message, request_id: requestId, details: {} });
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}
