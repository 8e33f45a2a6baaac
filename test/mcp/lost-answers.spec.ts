import { chmodSync, mkdtempSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ERRORS, type ErrorSymbol } from '@agentrelay/protocol';
import { eventually, freePort, McpSession, type TestAgent, testSettings, useRelay } from '@agentrelay/testing';
import { writeConfig } from '@agentrelay/workstation';
import { startRelayProcess } from '../process/relay-process';

const relay = useRelay();

/** A proxy in front of the relay that loses answers: the relay does the work, the client never hears of it. */
class LossyProxy {
  /** How many answers are still to be lost. */
  losing = 0;
  /** What each write is refused with before it gets to the relay. */
  refusing: ErrorSymbol | undefined;
  private server: Server | undefined;

  async start(target: string): Promise<string> {
    this.server = createServer((incoming, outgoing) => {
      if (incoming.method === 'POST' && this.refusing !== undefined && this.losing === 0) {
        outgoing.writeHead(ERRORS[this.refusing].http, { 'content-type': 'application/json' });
        outgoing.end(JSON.stringify({ error: { message: 'Not now.', data: { code: this.refusing } } }));
        return;
      }
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
  let url: string;

  beforeEach(async () => {
    bob = await relay.agent('bob@acme');
    await relay.agent('frank@acme');
    url = await proxy.start(relay.url);
    session = await McpSession.start({ AGENTRELAY_URL: url, AGENTRELAY_API_KEY: bob.apiKey });
  });

  afterEach(async () => {
    await session.stop();
    proxy.refusing = undefined;
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

  it.each(['rate_limited', 'unauthenticated'] as const)(
    'and the retries end with %s, it does not say that nothing was stored, and the repeated call doubles nothing',
    async (symbol) => {
      proxy.losing = 1;
      proxy.refusing = symbol;
      const lost = await session.call('handoff_to_teammate', handoff);
      expect(lost.text).toContain(`did not answer at first, and then refused: ${symbol}.`);
      expect(lost.text).toContain('| Not now.');
      expect(lost.text).toContain('It is unknown whether this was stored.');
      expect(await stored()).toBe(1);
      proxy.refusing = undefined;
      expect((await session.call('handoff_to_teammate', handoff)).isError).toBe(false);
      expect(await stored()).toBe(1);
    },
  );

  it.each(['rate_limited', 'unauthenticated'] as const)(
    'and the repeated call is refused with %s, the next one still doubles nothing',
    async (symbol) => {
      proxy.losing = 3;
      await session.call('handoff_to_teammate', handoff);
      proxy.refusing = symbol;
      const refused = await session.call('handoff_to_teammate', handoff);
      expect(refused.text).not.toContain('Nothing was stored');
      expect(refused.text).toContain('whether the same call before it did is still unknown');
      proxy.refusing = undefined;
      expect((await session.call('handoff_to_teammate', handoff)).isError).toBe(false);
      expect(await stored()).toBe(1);
    },
  );

  it('and the server cannot even ask again, because its configuration is unreadable, the next call doubles nothing', async () => {
    const home = mkdtempSync(join(tmpdir(), 'agentrelay-home-'));
    const { handle: agent_handle, agentId: agent_id, apiKey: api_key } = bob;
    writeConfig(home, { relay_url: url, agent_handle, agent_id, api_key });
    const configured = await McpSession.start({ AGENTRELAY_HOME: home });
    proxy.losing = 3;
    await configured.call('handoff_to_teammate', handoff);
    chmodSync(join(home, 'config.json'), 0o644);
    const refused = await configured.call('handoff_to_teammate', handoff);
    expect(refused.text).toContain('chmod 600');
    expect(refused.text).not.toContain('Nothing was stored');
    chmodSync(join(home, 'config.json'), 0o600);
    expect((await configured.call('handoff_to_teammate', handoff)).isError).toBe(false);
    expect(await stored()).toBe(1);
    await configured.stop();
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
    const [why, ...others] = killed.text.split('\n');
    expect(why).toMatch(/^The relay at .* does not answer \([A-Z_]+\)\.$/);
    expect(others).toEqual([
      'It is unknown whether this was stored. Call the same tool with the same arguments again: it cannot be stored twice.',
    ]);
    const second = await startRelayProcess(environment, url);
    const again = await session.call('handoff_to_teammate', handoff);
    expect(again).toMatchObject({ isError: false, structured: { status: 'pending' } });
    expect(await stored()).toBe(1);
    await session.stop();
    second.kill('SIGKILL');
    await second.exit();
  });
});
