import { type Agent, type IncomingMessage, request, type ServerResponse } from 'node:http';

/** Passes a request on to a server and its answer back, once: what the server does not answer has failed. */
export function passOn(incoming: IncomingMessage, outgoing: ServerResponse, target: string, agent: Agent): void {
  const { method, url = '/' } = incoming;
  // What either side says about its own connection is not for the other one.
  const { connection: _, ...headers } = incoming.headers;
  const forwarded = request(target + url, { method, headers, agent }, (answer) => {
    const { connection: __, ...told } = answer.headers;
    outgoing.writeHead(answer.statusCode ?? 502, told);
    answer.pipe(outgoing);
    answer.once('error', () => outgoing.destroy());
  });
  forwarded.once('error', () => outgoing.destroy());
  outgoing.once('close', () => forwarded.destroy());
  incoming.pipe(forwarded);
}
