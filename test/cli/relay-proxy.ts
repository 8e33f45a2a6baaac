import { once } from 'node:events';
import { Agent, createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { passOn } from '@agentrelay/testing';

/** A way to the relay that passes on what `answers` does not answer itself, as it says by returning true. */
export async function proxyTo(
  target: string,
  answers: (path: string, outgoing: ServerResponse) => boolean,
): Promise<{ url: string; close: () => void }> {
  const agent = new Agent();
  const server = createServer((incoming, outgoing) => {
    if (!answers(incoming.url ?? '', outgoing)) passOn(incoming, outgoing, target, agent);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      server.close();
      agent.destroy();
    },
  };
}

/** Lets the relay do what it was asked, and cuts its answer off. */
export function loseAnswer(outgoing: ServerResponse): false {
  outgoing.writeHead = () => outgoing.destroy();
  return false;
}
