import { once } from 'node:events';
import { Agent, createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Passes each request to the next of several relays, as a load balancer without memory would. */
export class AlternatingProxy {
  private readonly server: Server;
  private readonly agent = new Agent({ keepAlive: true });
  private targets: readonly string[] = [];
  private turn = 0;

  constructor() {
    this.server = createServer((incoming, outgoing) => {
      const target = this.targets[this.turn++ % this.targets.length] ?? '';
      const { method, headers, url = '/' } = incoming;
      const forwarded = request(target + url, { method, headers, agent: this.agent }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        answer.once('error', () => outgoing.destroy());
      });
      forwarded.once('error', () => outgoing.destroy());
      outgoing.once('close', () => forwarded.destroy());
      incoming.pipe(forwarded);
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
