import { once } from 'node:events';
import { connect } from 'node:net';
import { useRelay } from '@agentrelay/testing';

const relay = useRelay();
const CONNECTIONS = 300;

describe('connections that stay half open', () => {
  it('keep nobody else from being served', async () => {
    const bob = await relay.agent('bob@acme');
    const { hostname, port } = new URL(relay.replicaUrl);
    const start = 'POST /a2a HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 4000000\r\n';
    const known = `${start}authorization: Bearer ${bob.apiKey}\r\n`;
    const starts = ['', 'POST /a2a HT', known, `${known}\r\n`, `${known}\r\n{`, `${start}\r\n{`];
    const open = await Promise.all(
      Array.from({ length: CONNECTIONS }, async (_, n) => {
        const socket = connect(Number(port), hostname).on('error', () => undefined);
        await once(socket, 'connect');
        socket.write(starts[n % starts.length]!);
        return socket;
      }),
    );
    expect((await bob.rpc('agents/list')).status).toBe(200);
    for (const socket of open) socket.destroy();
    expect((await bob.rpc('agents/list')).status).toBe(200);
  });
});
