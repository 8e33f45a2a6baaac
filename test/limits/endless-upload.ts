import { once } from 'node:events';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';

export interface Upload {
  method: string;
  path: string;
  headers?: Record<string, string>;
  /** Bytes of the body: announced in the header, or undefined for a chunked body. */
  announced?: number;
}

export interface Refused {
  status: number;
  head: string;
  body: string;
  /** What the server took from the connection, in all. */
  bytesRead: number;
  /** What the head of the request took of that. */
  headBytes: number;
}

const BODY_BYTES = 60_000_000;
const PIECE = Buffer.alloc(1024 * 1024, '[');
const CHUNK = Buffer.concat([Buffer.from('100000\r\n'), PIECE, Buffer.from('\r\n')]);

/**
 * Sends 60 MB to a relay in this process without looking at the answer before it is there, and tells what the server took of them
 * by the counter of the server's own socket.
 */
export async function upload(
  server: Server,
  url: string,
  { method, path, headers = {}, announced }: Upload,
): Promise<Refused> {
  const { hostname, port } = new URL(url);
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  const client = connect(Number(port), hostname).on('error', () => undefined);
  let received = '';
  client.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
  const [served] = await accepted;
  const length = announced === undefined ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(announced) };
  const lines = Object.entries({ host: 'x', 'content-type': 'application/json', ...length, ...headers });
  const head = `${method} ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  const piece = announced === undefined ? CHUNK : PIECE;
  client.write(Buffer.concat([Buffer.from(head), piece]));
  for (
    let sent = PIECE.length;
    sent < BODY_BYTES && !client.destroyed && !answered(received, method);
    sent += PIECE.length
  ) {
    if (!client.write(piece)) await moved(client);
  }
  while (!answered(received, method) && !client.destroyed) await moved(client);
  const { bytesRead } = served;
  client.destroy();
  const [answerHead = '', ...rest] = received.split('\r\n\r\n');
  return {
    status: Number(/^HTTP\/1\.1 (\d+)/.exec(received)?.[1] ?? 0),
    head: answerHead,
    body: Buffer.from(rest.join('\r\n\r\n'), 'latin1').toString(),
    bytesRead,
    headBytes: Buffer.byteLength(head),
  };
}

/** Resolves at the next thing that happens to a connection. */
function moved(client: Socket): Promise<void> {
  return new Promise((resolve) => {
    const happened = (): void => {
      for (const event of ['drain', 'data', 'close']) client.off(event, happened);
      resolve();
    };
    for (const event of ['drain', 'data', 'close']) client.once(event, happened);
  });
}

/** Whether the whole answer has come; of a stream, and of an answer to HEAD, its head. */
function answered(received: string, method: string): boolean {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return false;
  if (method === 'HEAD') return true;
  const length = /content-length: (\d+)/i.exec(received)?.[1];
  return length === undefined || received.startsWith('HTTP/1.1 2') || received.length >= end + 4 + Number(length);
}
