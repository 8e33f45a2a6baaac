import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { freePort, McpSession, useRelay } from '@agentrelay/testing';
import { Workstation } from './agentrelay';

const relay = useRelay();

/** A forward proxy that leads every tunnel to the relay, and remembers what was asked for. */
let proxy: Server;
let asked: string[];
let refusesWith: number | undefined;

beforeEach(async () => {
  asked = [];
  refusesWith = undefined;
  proxy = createServer((_request, response) => response.writeHead(501).end());
  proxy.on('connect', ({ url = '' }, socket) => {
    asked.push(url);
    socket.on('error', () => undefined);
    if (refusesWith !== undefined) return void socket.end(`HTTP/1.1 ${refusesWith} No\r\n\r\n`);
    const tunnel = connect(Number(new URL(relay.url).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      tunnel.pipe(socket).pipe(tunnel);
    }).on('error', () => socket.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});

afterEach(() => {
  proxy.closeAllConnections();
  proxy.close();
});

function port(): number {
  return (proxy.address() as AddressInfo).port;
}

async function environment(url: string, more: Record<string, string> = {}): Promise<Record<string, string>> {
  const { apiKey } = await relay.agent('frank@acme');
  return { AGENTRELAY_URL: url, AGENTRELAY_API_KEY: apiKey, HTTP_PROXY: `http://127.0.0.1:${port()}`, ...more };
}

describe('a proxy of the environment', () => {
  it('carries what the command line and the MCP server ask a relay on the network, and doctor names it', async () => {
    const through = await environment('http://relay.acme.test');
    const workstation = new Workstation();
    expect(await workstation.json(['whoami'], through)).toMatchObject({ handle: 'frank@acme' });
    expect(asked).toEqual(['relay.acme.test:80']);
    const { stdout } = await workstation.run(['doctor'], through);
    expect(stdout).toContain(`✓ proxy: through the proxy of HTTP_PROXY (127.0.0.1:${port()})`);
    expect(stdout).toMatch(/✓ relay: http:\/\/relay\.acme\.test answered/);
    const session = await McpSession.start(through);
    expect((await session.call('check_inbox')).isError).toBe(false);
    await session.stop();
    expect(new Set(asked)).toEqual(new Set(['relay.acme.test:80']));
  });

  it('is left out for this machine and for what NO_PROXY names', async () => {
    const workstation = new Workstation();
    const here = await environment(relay.url);
    expect(await workstation.json(['whoami'], here)).toMatchObject({ handle: 'frank@acme' });
    // An address that leads to this machine, and is not written as one of the loopback.
    const other = { ...here, AGENTRELAY_URL: relay.url.replace('127.0.0.1', '0.0.0.0') };
    expect(await workstation.json(['whoami'], { ...other, NO_PROXY: '0.0.0.0' })).toMatchObject({
      handle: 'frank@acme',
    });
    expect(asked).toEqual([]);
    await workstation.json(['whoami'], other);
    expect(asked).toHaveLength(1);
  });

  it('that does not answer, or refuses, is named without its password; nothing was sent', async () => {
    const workstation = new Workstation();
    const closed = await freePort();
    const dead = await environment('http://relay.acme.test', { HTTP_PROXY: `http://me:hunter2@127.0.0.1:${closed}` });
    const unreached = await workstation.run(['whoami'], dead);
    expect(unreached.code).toBe(1);
    expect(unreached.stderr).toContain(
      `does not answer through the proxy of HTTP_PROXY (127.0.0.1:${closed}) (ECONNREFUSED).`,
    );
    expect(unreached.stderr).not.toContain('hunter2');
    refusesWith = 407;
    const refused = await workstation.run(['whoami'], { ...dead, HTTP_PROXY: `http://127.0.0.1:${port()}` });
    expect(refused.stderr).toContain(`(127.0.0.1:${port()}) (the proxy answers 407).`);
  });
});
