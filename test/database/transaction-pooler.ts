import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { Client } from 'pg';

/** What a session may be told at its start; anything else would have to stay with the session, and there is none. */
const KNOWN_PARAMETERS = new Set(['user', 'database', 'application_name', 'client_encoding', 'datestyle', 'timezone']);
const HEADER_BYTES = 5;

/**
 * A pooler that lends a server connection for one transaction, as PgBouncer's transaction mode does. It always lends the one
 * that has rested longest, so that whoever counts on meeting the same session again is soon disappointed.
 */
export class TransactionPooler {
  private readonly server: Server;
  private readonly resting: Socket[] = [];
  private readonly waiting: ((session: Socket) => void)[] = [];
  private readonly clients = new Set<Socket>();

  constructor(
    private readonly databaseUrl: string,
    private readonly size: number,
  ) {
    this.server = createServer((client) => this.greet(client));
  }

  /** Listens, and returns the address of the database through it. */
  async listen(): Promise<string> {
    for (let i = 0; i < this.size; i++) {
      const session = new Client({ connectionString: this.databaseUrl });
      // How its connection ends is ours to decide.
      session.on('error', () => undefined);
      await session.connect();
      this.resting.push(takeSocket(session));
    }
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const url = new URL(this.databaseUrl);
    url.port = String((this.server.address() as AddressInfo).port);
    return url.href;
  }

  close(): void {
    this.server.close();
    for (const socket of [...this.clients, ...this.resting]) socket.destroy();
  }

  private greet(client: Socket): void {
    this.clients.add(client.setNoDelay());
    client.once('close', () => this.clients.delete(client)).on('error', () => client.destroy());
    client.once('data', (startup) => {
      const strange = parametersOf(startup).find((name) => !KNOWN_PARAMETERS.has(name.toLowerCase()));
      if (strange !== undefined) {
        client.end(message('E', `SFATAL\0C08P01\0Munsupported startup parameter: ${strange}\0\0`));
        return;
      }
      client.write(Buffer.concat([message('R', '\0\0\0\0'), message('K', '\0'.repeat(8)), message('Z', 'I')]));
      this.serve(client);
    });
  }

  /** Lends a session at the first message of a transaction, and takes it back when the server says that none is open. */
  private serve(client: Socket): void {
    let session: Socket | undefined;
    const fromServer = reader((whole, type, body) => {
      client.write(whole);
      if (type !== 'Z' || body.toString() !== 'I' || session === undefined) return;
      session.off('data', fromServer);
      this.rest(session);
      session = undefined;
    });
    const fromClient = reader((whole, type) => {
      if (type === 'X') client.end();
      else session?.write(whole);
    });
    client.on('data', (chunk) => {
      if (session !== undefined || chunk[0] === 'X'.charCodeAt(0)) return fromClient(chunk);
      client.pause();
      this.lend((lent) => {
        session = lent.on('data', fromServer);
        fromClient(chunk);
        client.resume();
      });
    });
    // A client that leaves in the middle of its transaction takes the session with it.
    client.once('close', () => session?.destroy());
  }

  private lend(use: (session: Socket) => void): void {
    const session = this.resting.shift();
    if (session === undefined) this.waiting.push(use);
    else use(session);
  }

  private rest(session: Socket): void {
    const next = this.waiting.shift();
    if (next === undefined) this.resting.push(session);
    else next(session);
  }
}

/** The driver has authenticated; from here on its socket is ours. */
function takeSocket(session: Client): Socket {
  const { stream } = (session as unknown as { connection: { stream: Socket } }).connection;
  return stream
    .setNoDelay()
    .removeAllListeners('data')
    .on('error', () => stream.destroy());
}

function parametersOf(startup: Buffer): string[] {
  return startup
    .subarray(8)
    .toString()
    .split('\0')
    .filter((text, i) => i % 2 === 0 && text !== '');
}

function message(type: string, body: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + length.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body, 'latin1')]);
}

/** Cuts a stream of bytes into the protocol's messages. */
function reader(take: (whole: Buffer, type: string, body: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= HEADER_BYTES && rest.length > rest.readInt32BE(1)) {
      const whole = rest.subarray(0, rest.readInt32BE(1) + 1);
      rest = rest.subarray(whole.length);
      take(whole, String.fromCharCode(whole[0] ?? 0), whole.subarray(HEADER_BYTES));
    }
  };
}
