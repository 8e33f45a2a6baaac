import { once } from 'node:events';
import { connect } from 'node:net';
import { eventually, useRelay } from '@agentrelay/testing';

const relay = useRelay();
const BODY = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agents/list' });

/** Sends a head that expects something, then `body` once it is invited, and returns all that came back. */
async function ask(headers: Record<string, string>, expectation = '100-continue'): Promise<string> {
  const { hostname, port } = new URL(relay.replicaUrl);
  const socket = connect(Number(port), hostname).on('error', () => undefined);
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  await once(socket, 'connect');
  const all = { host: 'x', 'content-length': String(BODY.length), expect: expectation, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /a2a HTTP/1.1\r\n${lines.join('')}\r\n`);
  await eventually('something comes back', () => Promise.resolve(received.includes('\r\n\r\n')));
  if (received.startsWith('HTTP/1.1 100 ')) {
    socket.write(BODY);
    await eventually('the answer comes', () => Promise.resolve(received.includes('{')));
  }
  await eventually('the answer is whole', () => Promise.resolve(received.endsWith('}')));
  socket.destroy();
  return received;
}

describe('a sender that waits for an invitation to send its body', () => {
  it('is refused without one when its credential is missing or wrong', async () => {
    expect(await ask({})).toMatch(/^HTTP\/1\.1 401 [^]*connection: close[^]*"unauthenticated"/i);
    expect(await ask({ authorization: 'Bearer ar_wrong' })).toMatch(/^HTTP\/1\.1 401 /);
  });

  it('is refused without one when the headers show that the body is refused', async () => {
    const authorization = `Bearer ${(await relay.agent('bob@acme')).apiKey}`;
    expect(await ask({ authorization, 'content-type': 'text/plain' })).toMatch(/^HTTP\/1\.1 415 /);
    const large = { authorization, 'content-type': 'application/json', 'content-length': '60000000' };
    expect(await ask(large)).toMatch(/^HTTP\/1\.1 413 /);
  });

  it('is invited when it may send, and then answered', async () => {
    const authorization = `Bearer ${(await relay.agent('bob@acme')).apiKey}`;
    const answer = await ask({ authorization, 'content-type': 'application/json' });
    expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK\r\n[^]*"result"/);
  });
});

describe('any other expectation', () => {
  it('is refused, and the body is not read', async () => {
    const authorization = `Bearer ${(await relay.agent('bob@acme')).apiKey}`;
    const answer = await ask({ authorization, 'content-type': 'application/json' }, 'tea');
    expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*connection: close[^]*no expectation but 100-continue/i);
  });
});
