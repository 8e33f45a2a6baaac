import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { eventually, freePort, testSettings, useRelay } from '@agentrelay/testing';
import { startRelayProcess } from './relay-process';

const relay = useRelay();

describe('on SIGTERM the relay', () => {
  it('turns unready, finishes the requests it has, and exits with 0', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const environment = { ...testSettings(relay.database.url), PORT: String(port), RELAY_SHUTDOWN_DELAY_MS: '1000' };
    const bob = (await relay.agent('bob@acme')).at(url);
    const frank = await relay.agent('frank@acme');
    const program = await startRelayProcess(environment, url);

    // A row lock of ours keeps a send waiting inside the relay.
    const holder = await relay.database.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM agents WHERE id = $1 FOR UPDATE', [frank.agentId]);
    const sending = bob.send('frank@acme');
    await eventually('the send waits for the lock', async () => {
      const waiting = await relay.database.query(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
      return waiting.length > 0;
    });

    program.kill('SIGTERM');
    await eventually('the relay is unready', async () => (await fetch(`${url}/readyz`)).status === 503);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    await holder.query('ROLLBACK');
    await holder.end();
    expect((await sending).status).toEqual({ state: 'pending' });
    expect(await program.exit()).toBe(0);
    expect(await relay.database.query('SELECT FROM handoffs')).toHaveLength(1);
  });

  it('ends each kept connection with its next answer, so that a client moves on before the listener closes', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const environment = { ...testSettings(relay.database.url), PORT: String(port), RELAY_SHUTDOWN_DELAY_MS: '1000' };
    const program = await startRelayProcess(environment, url);
    const connections = new Agent({ keepAlive: true, maxSockets: 1 });
    const answerOver = async (): Promise<string | undefined> => {
      const [answer] = (await once(get(`${url}/healthz`, { agent: connections }), 'response')) as [IncomingMessage];
      await once(answer.resume(), 'end');
      return answer.headers.connection;
    };

    expect(await answerOver()).toBe('keep-alive');
    program.kill('SIGTERM');
    await eventually('the relay is unready', async () => (await fetch(`${url}/readyz`)).status === 503);
    expect(await answerOver()).toBe('close');
    connections.destroy();
    expect(await program.exit()).toBe(0);
  });

  it('does not wait for a connection that never sends a request, or not the whole of one', async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const program = await startRelayProcess({ ...testSettings(relay.database.url), PORT: String(port) }, url);
    const silent = connect(port, '127.0.0.1');
    const stuck = connect(port, '127.0.0.1');
    await Promise.all([once(silent, 'connect'), once(stuck, 'connect')]);
    stuck.write('GET /healthz HTTP/1.1\r\nHost: relay\r\n');
    const closed = Promise.all([once(silent, 'close'), once(stuck, 'close')]);
    const start = performance.now();
    program.kill('SIGTERM');
    expect(await program.exit()).toBe(0);
    expect(performance.now() - start).toBeLessThan(10_000);
    await closed;
  });
});
