import { once } from 'node:events';
import { Agent, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { passOn } from './pass-on';

/** Passes each request to the next of several relays, as a load balancer without memory would. */
export class AlternatingProxy {
  private readonly server: Server;
  private readonly agent = new Agent({ keepAlive: true });
  private targets: readonly string[] = [];
  private turn = 0;

  constructor() {
    this.server = createServer((incoming, outgoing) => {
      passOn(incoming, outgoing, this.targets[this.turn++ % this.targets.length] ?? '', this.agent);
    });
  }

  /** Listens, and returns the address. */
  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  passTo(targets: readonly string[]): void {
    this.targets = targets;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
    this.agent.destroy();
  }
}
