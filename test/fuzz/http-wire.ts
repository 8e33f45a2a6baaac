import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Reply {
  status: number;
  /** Names in lower case; of a repeated one the last value. */
  headers: Record<string, string>;
  body: Buffer;
}

/** Longer than this nothing may take. */
const HANG_MS = 5_000;
/** Bytes that are no whole request are followed by the end of the stream after this silence. */
const SILENCE_MS = 200;

/** One client connection that sends bytes exactly as given, opened anew whenever the server closes it. */
export class HttpWire {
  private socket: Socket | undefined;

  constructor(
    private readonly host: string,
    private readonly port: number,
  ) {}

  /**
   * Sends a request and reads its reply. `whole: false`: the bytes may be no request at all, and the server may hang up.
   * @throws Error when there is neither a reply nor a hang-up in time
   */
  async exchange(bytes: Buffer, { head, whole }: { head: boolean; whole: boolean }): Promise<Reply | 'hung up'> {
    if (!whole || this.socket?.readable !== true) this.close();
    const socket = (this.socket ??= await open(this.host, this.port));
    const reading = new ReplyReader(head);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => finish(() => reject(new Error('no reply within 5 s')), true), HANG_MS);
      const silence = whole ? undefined : setTimeout(() => socket.end(), SILENCE_MS);
      const finish = (settle: () => void, last: boolean): void => {
        clearTimeout(timer);
        clearTimeout(silence);
        socket.removeAllListeners('data').removeAllListeners('close').removeAllListeners('error');
        // Whatever else befalls a connection that is given up is of no interest.
        socket.on('error', () => undefined);
        if (last) this.close();
        settle();
      };
      const look = (ended: boolean): void => {
        const reply = reading.reply(ended);
        if (reply !== undefined) finish(() => resolve(reply), ended || !whole || isLast(reply));
        else if (ended) finish(() => resolve('hung up'), true);
      };
      socket.removeAllListeners('error').on('error', () => undefined);
      socket.on('data', (chunk: Buffer) => {
        reading.take(chunk);
        look(false);
      });
      socket.on('close', () => look(true));
      socket.write(bytes);
    });
  }

  close(): void {
    this.socket?.destroy();
    this.socket = undefined;
  }
}

/** Whether the server closes the connection after this reply: it says so, or its HTTP parser gave up. */
function isLast({ headers }: Reply): boolean {
  return headers['connection'] === 'close' || headers['x-request-id'] === undefined;
}

async function open(host: string, port: number): Promise<Socket> {
  const socket = connect({ host, port, noDelay: true });
  await once(socket, 'connect');
  return socket;
}

/** Reads one HTTP/1.1 reply from the bytes that come. */
export class ReplyReader {
  private bytes: Buffer = Buffer.alloc(0);

  constructor(private readonly head: boolean) {}

  take(chunk: Buffer): void {
    this.bytes = this.bytes.length === 0 ? chunk : Buffer.concat([this.bytes, chunk]);
  }

  /** The reply once it is whole. */
  reply(ended: boolean): Reply | undefined {
    const end = this.bytes.indexOf('\r\n\r\n');
    if (end === -1) return undefined;
    const [line = '', ...fields] = this.bytes.toString('latin1', 0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(line)?.[1]);
    const headers = Object.fromEntries(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 1).trim(),
      ]),
    );
    const rest = this.bytes.subarray(end + 4);
    if (status < 200) {
      this.bytes = rest;
      return this.reply(ended);
    }
    const body = this.bodyOf(status, headers, rest, ended);
    return body === undefined ? undefined : { status, headers, body };
  }

  private bodyOf(status: number, headers: Record<string, string>, rest: Buffer, ended: boolean): Buffer | undefined {
    const endless = headers['content-type'] === 'text/event-stream';
    if (this.head || status === 204 || status === 304 || endless) return Buffer.alloc(0);
    if (headers['content-length'] !== undefined) {
      const length = Number(headers['content-length']);
      return rest.length >= length ? rest.subarray(0, length) : undefined;
    }
    if (headers['transfer-encoding'] === 'chunked') return unchunk(rest);
    return ended ? rest : undefined;
  }
}

function unchunk(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    if (end === -1) return undefined;
    const size = parseInt(bytes.toString('latin1', at, end), 16);
    if (size === 0) return bytes.length >= end + 4 ? Buffer.concat(parts) : undefined;
    at = end + 2 + size + 2;
    if (bytes.length < at) return undefined;
    parts.push(bytes.subarray(end + 2, end + 2 + size));
  }
}
