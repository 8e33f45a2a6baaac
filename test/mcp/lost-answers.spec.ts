import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, freePort, McpSession, type TestAgent, testSettings, useRelay } from '@agentrelay/testing';
import { startRelayProcess } from '../process/relay-process';

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

async function stored(): Promise<number> {
  const [row] = await relay.database.query<{ count: number }>('SELECT count(*)::int AS count FROM handoffs');
  return row!.count;
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

describe('when the relay is killed in mid-call', () => {
  it('the tool says so in words, and repeating the call at the relay that took its place stores it once', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const environment = { ...testSettings(relay.database.url), PORT: String(port) };
    const { bob } = await relay.pair();
    const first = await startRelayProcess(environment, url);
    const session = await McpSession.start({ AGENTRELAY_URL: url, AGENTRELAY_API_KEY: bob.apiKey });
    const handoff = { to: 'frank@acme', intent: 'inform', summary: 'Only once.' };
    const killed = await relay.database.inTransaction(async (client) => {
      // Sends wait for the row of their recipient, which every send locks.
      await client.query(`SELECT FROM agents WHERE handle = 'frank@acme' FOR UPDATE`);
      const call = session.call('handoff_to_teammate', handoff);
      await eventually('the call waits in the database', async () => {
        const waiting = await relay.database.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        );
        return waiting.length > 0;
      });
      first.kill('SIGKILL');
      return call;
    });
    expect(killed.isError).toBe(true);
    expect(killed.text).toBe(
      `The relay at ${url} does not answer.\n` +
        'It is unknown whether this was stored. Call the same tool with the same arguments again: it cannot be stored twice.',
    );
    const second = await startRelayProcess(environment, url);
    const again = await session.call('handoff_to_teammate', handoff);
    expect(again).toMatchObject({ isError: false, structured: { status: 'pending' } });
    expect(await stored()).toBe(1);
    await session.stop();
    second.kill('SIGKILL');
    await second.exit();
  });
});
