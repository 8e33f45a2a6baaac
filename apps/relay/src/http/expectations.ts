import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** Requests whose senders wait until they are told to send their body. */
const waiting = new WeakMap<IncomingMessage, ServerResponse>();
const unmet = new WeakSet<IncomingMessage>();

/**
 * Handles requests with the header `Expect` as all others. Node.js by itself would ask for a body before anybody knows who sends it,
 * and read the body of a request whose expectation it refuses to its end.
 */
export function holdExpectations({ server }: FastifyInstance): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    waiting.set(request, response);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    unmet.add(request);
    server.emit('request', request, response);
  });
}

/** Whether a request expects something other than `100-continue`. */
export function expectsTheUnknown(request: IncomingMessage): boolean {
  return unmet.has(request);
}

/** Tells a sender that waits for it to send the body. */
export function inviteBody(request: IncomingMessage): void {
  waiting.get(request)?.writeContinue();
}
