import { once } from 'node:events';
import { Agent, createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { passOn } from '@agentrelay/testing';

/** Time between the answer of a replica to whether it is ready and the next question. */
const PROBE_MS = 100;

interface Replica {
  url: string;
  ready: boolean;
  connections: Agent;
}

/**
 * Passes requests on to ready replicas in turn, over connections that it keeps, as a load balancer in front of a
 * deployment does. It repeats nothing: what a replica does not answer has failed.
 */
export class ReadinessBalancer {
  private readonly server: Server;
  private replicas: Replica[] = [];
  private turn = 0;
  private closed = false;

  constructor() {
    this.server = createServer((incoming, outgoing) => {
      const ready = this.replicas.filter((replica) => replica.ready);
      const replica = ready[this.turn++ % ready.length];
      if (replica === undefined) {
        outgoing.destroy();
        return;
      }
      passOn(incoming, outgoing, replica.url, replica.connections);
    });
  }

  /** Listens, and returns the address. */
  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Takes a replica in that has just called itself ready. */
  add(url: string): void {
    const replica = { url, ready: true, connections: new Agent({ keepAlive: true }) };
    this.replicas.push(replica);
    void this.probe(replica);
  }

  close(): void {
    this.closed = true;
    this.server.closeAllConnections();
    this.server.close();
    for (const { connections } of this.replicas) connections.destroy();
  }

  /** One question at a time, so that an old answer never overtakes a new one. */
  private async probe(replica: Replica): Promise<void> {
    while (!this.closed) {
      const answer = await fetch(`${replica.url}/readyz`, { headers: { connection: 'close' } }).catch(() => undefined);
      replica.ready = answer?.status === 200;
      await new Promise((resolve) => setTimeout(resolve, PROBE_MS));
    }
  }
}
