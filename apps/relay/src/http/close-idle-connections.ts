import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/**
 * When the listener closes, closes every connection on which no request is being answered. Node.js itself counts one that has
 * never sent a request as busy, and would wait for it as long as a client may take to send one.
 */
export function closeIdleConnections(fastify: FastifyInstance): void {
  const quiet = new Set<Socket>();
  let closing = false;
  const rest = (socket: Socket): void => {
    // What was written to it still goes out.
    if (closing) socket.destroySoon();
    else if (!socket.destroyed) quiet.add(socket);
  };
  fastify.server.on('connection', (socket: Socket) => {
    rest(socket);
    socket.once('close', () => quiet.delete(socket));
  });
  fastify.server.on('request', ({ socket }, answer) => {
    quiet.delete(socket);
    answer.once('close', () => rest(socket));
  });
  fastify.addHook('preClose', (done) => {
    closing = true;
    for (const socket of quiet) socket.destroySoon();
    done();
  });
}
