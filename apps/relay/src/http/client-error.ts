import type { Socket } from 'node:net';
import { RelayError } from '@agentrelay/protocol';
import { v7 as uuidv7 } from 'uuid';
import { restError } from './rest-errors';
import { endThenDestroy } from './unread-body';

const REASONS: Record<string, string> = {
  HPE_HEADER_OVERFLOW: 'The headers are larger than this relay takes.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not arrive in time.',
};
const MALFORMED = 'This is not HTTP that the relay can read.';

/** Answers what never became a request, in the shape of every other refusal, and hangs up. */
export function refuseUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const refusal = new RelayError('invalid_request', REASONS[error.code ?? ''] ?? MALFORMED);
  const requestId = uuidv7();
  const { status, body: shown } = restError(refusal, requestId);
  const body = JSON.stringify(shown);
  socket.write(
    [
      `HTTP/1.1 ${status} Bad Request`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
  endThenDestroy(socket);
}
