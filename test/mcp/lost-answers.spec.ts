import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpSession, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

/** A proxy in front of the relay that loses answers: the relay does the work, the client never hears of it. */
class LossyProxy {
  /** How many answers are still to be lost. */
  losing = 0;
  private server: Server | undefined;

  async start(target: string): Promise<string> {
    this.server = createServer((incoming, outgoing) => {
      const forwarded = request(
        target + (incoming.url ?? ''),
        { method: incoming.method, headers: incoming.headers },
        (answer) => {
          if (incoming.method === 'POST' && this.losing > 0) {
            this.losing--;
            answer.resume().once('end', () => outgoing.destroy());
            return;
          }
          outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(outgoing);
        },
      );
      incoming.pipe(forwarded);
    });
    await new Promise<void>((resolve) => this.server!.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server?.closeAllConnections();
    this.server?.close();
  }
}

describe('when answers get lost', () => {
  const proxy = new LossyProxy();
  let bob: TestAgent;
  let session: McpSession;

  beforeEach(async () => {
    bob = await relay.agent('bob@acme');
    await relay.agent('frank@acme');
    const url = await proxy.start(relay.url);
    session = await McpSession.start({ AGENTRELAY_URL: url, AGENTRELAY_API_KEY: bob.apiKey });
  });

  afterEach(async () => {
    await session.stop();
    proxy.stop();
  });

  const handoff = { to: 'frank@acme', intent: 'inform', summary: 'Only once.' };

  async function stored(): Promise<number> {
    const [row] = await relay.database.query<{ count: number }>('SELECT count(*)::int AS count FROM handoffs');
    return row!.count;
  }

  it('the server retries with the same key, and one handoff is stored', async () => {
    proxy.losing = 2;
    const { isError, structured } = await session.call('handoff_to_teammate', handoff);
    expect(isError).toBe(false);
    expect(structured['status']).toBe('pending');
    expect(await stored()).toBe(1);
  });

  it('and the server gives up, it says so, and the model repeating the call doubles nothing', async () => {
    proxy.losing = 3;
    const lost = await session.call('handoff_to_teammate', handoff);
    expect(lost.isError).toBe(true);
    expect(lost.text).toContain('does not answer');
    expect(lost.text).toContain('Call the same tool with the same arguments again');
    const again = await session.call('handoff_to_teammate', handoff);
    expect(again.isError).toBe(false);
    expect(await stored()).toBe(1);
    await session.call('handoff_to_teammate', handoff);
    expect(await stored()).toBe(2);
  });
});
