import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

interface Link {
  client: Socket;
  upstream: Socket;
  stranded: boolean;
}

/** Passes TCP connections on to a port of this machine, and is as unreliable as it is told to be. */
export class TcpProxy {
  /** Bytes that the clients have been sent so far. */
  bytesToClients = 0;
  private readonly server: Server;
  private readonly links = new Set<Link>();
  private silenced = false;

  constructor(private target: number) {
    this.server = createServer((client) => this.link(client));
  }

  /** Listens, and returns the port. */
  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Sends new connections elsewhere from now on. */
  pointTo(port: number): void {
    this.target = port;
  }

  /** Breaks all connections at once. */
  cut(): void {
    for (const { client, upstream } of this.links) {
      reset(client);
      reset(upstream);
    }
  }

  /** Swallows everything from now on: connections stay open, new ones are taken, and nothing passes either way. */
  silence(): void {
    this.silenced = true;
    for (const link of this.links) flow(link, false);
  }

  /** Passes on again, also what was held back. */
  resume(): void {
    this.silenced = false;
    for (const link of this.links) flow(link, true);
  }

  /** Leaves the client's end of all connections open and dead, as a network that has forgotten them does; new ones work. */
  strand(): void {
    for (const link of this.links) {
      link.stranded = true;
      link.upstream.destroy();
    }
  }

  close(): void {
    this.cut();
    this.server.close();
  }

  private link(client: Socket): void {
    const upstream = connect({ port: this.target, host: '127.0.0.1', noDelay: true });
    const link: Link = { client: client.setNoDelay(), upstream, stranded: false };
    this.links.add(link);
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      this.bytesToClients += chunk.length;
      client.write(chunk);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => one.destroy());
      one.on('end', () => !link.stranded && other.end());
      one.on('close', () => {
        if (link.stranded && one === upstream) return;
        this.links.delete(link);
        other.destroy();
      });
    }
    if (this.silenced) flow(link, false);
  }
}

/** Node 20 loses a socket that is reset between the call of shutdown and its end: it never closes, and the process never
 * exits. Such a socket is closed instead. */
function reset(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished) socket.destroy();
  else socket.resetAndDestroy();
}

function flow({ client, upstream }: Link, on: boolean): void {
  for (const socket of [client, upstream])
    if (on) socket.resume();
    else socket.pause();
}
