import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';

/** A rest of a body up to this size is read and dropped, so that its sender sees the answer at once. */
const DROPPED_BYTES = 64 * 1024;
/** How long a sender whose body is not read has to take the answer before its connection is cut. */
const LINGER_MS = 1_000;

/** Whether the headers of a request announce a body. */
export function bringsBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

/**
 * Takes the reading of a body out of the hands of Node.js, which otherwise reads whatever a handler left unread to its end once
 * the answer is out. To be called before the first byte of it has arrived; it reads nothing by itself.
 */
export function holdBody(request: IncomingMessage): void {
  request.read(0);
}

/**
 * For an answer with `Connection: close` that goes out before the body of its request has been read: the connection ends with it. The sender has a second
 * to read the answer, because cutting a connection with unread bytes in it could destroy what is on its way.
 */
export function closeAfterAnswer(request: IncomingMessage): void {
  request.pause();
  const { socket } = request;
  socket.destroySoon = () => {
    // Whoever asks a second time, as a shutdown does, does not want to wait.
    socket.destroySoon = () => socket.destroy();
    linger(request, socket);
  };
}

/** Ends a connection so that its client can still read what was written to it. */
export function endThenDestroy(socket: Socket): void {
  socket.end();
  const cut = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => clearTimeout(cut));
}

function linger(request: IncomingMessage, socket: Socket): void {
  endThenDestroy(socket);
  const over = (): void => void socket.destroy();
  if (request.complete) socket.once('finish', over);
  else if (Number(request.headers['content-length']) <= DROPPED_BYTES) request.once('end', over).resume();
}
