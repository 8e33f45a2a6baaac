import { once } from 'node:events';
import { connect } from 'node:net';
import { useRelay } from '@agentrelay/testing';

const relay = useRelay({ RELAY_STATEMENT_TIMEOUT_MS: '200', RELAY_REQUEST_TIMEOUT_MS: '300' });

describe('what takes too long', () => {
  it('in the database is given up and answered with unavailable, and nothing of it is stored', async () => {
    const { bob, frank } = await relay.pair();
    await relay.database.inTransaction(async (holder) => {
      await holder.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [frank.agentId]);
      const { status, body, headers } = await bob.rpc('message/send', {
        recipient: 'frank@acme',
        message: { parts: [{ type: 'text', text: 'x' }] },
      });
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('1');
      expect(body).toMatchObject({ error: { code: -32037, data: { code: 'unavailable' } } });
    });
    expect(await relay.database.query('SELECT FROM handoffs')).toEqual([]);
  });

  it('to arrive is cut off', async () => {
    const { hostname, port } = new URL(relay.replicaUrl);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
    socket.write('POST /a2a HTTP/1.1\r\nhost: x\r\n');
    await once(socket, 'close');
    expect(received).toContain('The request did not arrive in time.');
  });
});
