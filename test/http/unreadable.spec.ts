import { once } from 'node:events';
import { connect } from 'node:net';
import { useRelay } from '@agentrelay/testing';

const relay = useRelay();

async function answerTo(bytes: string): Promise<{ head: string; body: Record<string, unknown> }> {
  const { hostname, port } = new URL(relay.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let received = '';
  socket.on('data', (chunk: Buffer) => (received += chunk.toString()));
  socket.write(bytes);
  await once(socket, 'close');
  const [head = '', body = ''] = received.split('\r\n\r\n');
  return { head, body: JSON.parse(body) as Record<string, unknown> };
}

describe('bytes that are no request', () => {
  it.each([
    ['are refused in the shape of REST', 'NONSENSE\r\n\r\n'],
    ['with endless headers too', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`],
  ])('%s, and the connection ends', async (_, bytes) => {
    const { head, body } = await answerTo(bytes);
    expect(head).toContain('HTTP/1.1 400 Bad Request');
    expect(body).toEqual({
      code: 'invalid_request',
      message: expect.any(String) as string,
      request_id: /x-request-id: (\S+)/.exec(head)?.[1],
      details: {},
    });
  });
});
