import { Agent, request } from 'node:http';

/** Somebody who waits for events: told when anything arrives on the wire. */
export interface OpenWaiter {
  close(): void;
}

/** Opens an event stream; resolves once the relay says that it stands. `onEvent` is called with each event's data. */
export function openStream(
  url: string,
  apiKey: string,
  onEvent: (data: string) => void = () => undefined,
): Promise<OpenWaiter> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL('/agents/me/events/stream', url), {
      agent: UNSHARED,
      headers: { authorization: `Bearer ${apiKey}` },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      if (response.statusCode !== 200) reject(new Error(`A stream was refused with ${response.statusCode}.`));
      let rest = '';
      response.on('error', () => undefined);
      response.on('data', (chunk: Buffer) => {
        const blocks = (rest + chunk.toString()).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          if (block.includes(': connected')) resolve({ close: () => sent.destroy() });
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data !== undefined) onEvent(data);
        }
      });
    });
    sent.end();
  });
}

/** Starts a long poll for what is still to come; resolves once it is on its way. `onAnswer` is called when it ends. */
export function openLongPoll(
  url: string,
  apiKey: string,
  waitMs: number,
  onAnswer: (status: number) => void,
): Promise<OpenWaiter> {
  const params = { cursor: 'now', limit: 10, wait_ms: waitMs };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'events/list', params });
  return new Promise((resolve) => {
    const sent = request(new URL('/a2a', url), {
      agent: UNSHARED,
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'content-length': body.length,
      },
    });
    sent.on('error', () => onAnswer(0));
    sent.on('response', (response) => {
      response.resume();
      onAnswer(response.statusCode ?? 0);
    });
    sent.end(body, () => resolve({ close: () => sent.destroy() }));
  });
}

/** Every waiter has a connection of its own. */
const UNSHARED = new Agent({ keepAlive: false, maxSockets: Infinity });
