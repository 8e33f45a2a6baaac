import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TEST_ADMIN_TOKEN, useRelay } from '@agentrelay/testing';
import { readConfigFile } from '@agentrelay/workstation';
import { Workstation } from './agentrelay';
import { proxyTo, loseAnswer } from './relay-proxy';

const relay = useRelay();

async function stored(table: 'handoffs' | 'messages'): Promise<number> {
  const [row] = await relay.database.query<{ count: number }>(`SELECT count(*)::int AS count FROM ${table}`);
  return row!.count;
}

/** A workstation whose relay loses answers to writes while `losing` is true. */
async function behindLossyProxy() {
  const { bob, frank } = await relay.pair();
  const state = { losing: true };
  const proxy = await proxyTo(relay.url, (path, outgoing) => state.losing && path === '/a2a' && loseAnswer(outgoing));
  const bobs = Workstation.of(bob);
  return { bob, frank, state, proxy, bobs, through: { AGENTRELAY_URL: proxy.url } };
}

describe('when the answer to a write gets lost', () => {
  it('the command says that it is unknown, and the same command again stores it once', async () => {
    const { state, proxy, bobs, through } = await behindLossyProxy();
    const send = ['send', 'frank@acme', 'Only once.'];
    const lost = await bobs.run(send, through);
    expect(lost).toMatchObject({ code: 1, stdout: '' });
    expect(lost.stderr).toContain('It is unknown whether this was stored. (unavailable)');
    expect(lost.stderr).toContain('Run the same command again within ten minutes: it cannot be stored twice.');
    state.losing = false;
    expect((await bobs.run(send, through)).code).toBe(0);
    expect(await stored('handoffs')).toBe(1);
    expect(readdirSync(join(bobs.home, 'pending'))).toEqual([]);
    expect((await bobs.run(send, through)).code).toBe(0);
    expect(await stored('handoffs')).toBe(2);
    proxy.close();
  });

  it('equal commands that ran at once are one call, and stay one when one of them hears nothing', async () => {
    const { state, proxy, bobs, through } = await behindLossyProxy();
    const send = ['send', 'frank@acme', 'At once.'];
    const both = await Promise.all([bobs.run(send, through), bobs.run(send, through)]);
    expect(both.map(({ code }) => code)).toEqual([1, 1]);
    expect(await stored('handoffs')).toBe(1);
    state.losing = false;
    expect((await bobs.run(send, through)).code).toBe(0);
    expect(await stored('handoffs')).toBe(1);
    proxy.close();
  });

  it('an own key is named as a shell takes it, and the command with it stores nothing twice', async () => {
    const { bob, state, proxy, bobs, through } = await behindLossyProxy();
    const { thread_id } = await bob.send('frank@acme');
    const reply = ['reply', thread_id, 'Once.', '--idempotency-key', "my key's"];
    const lost = await bobs.run(reply, through);
    const [, words = ''] = /with the same (--idempotency-key .*): it cannot/.exec(lost.stderr) ?? [];
    expect(execFileSync('sh', ['-c', `printf '%s|' ${words}`], { encoding: 'utf8' })).toBe(
      "--idempotency-key|my key's|",
    );
    state.losing = false;
    expect((await bobs.run(reply, through)).code).toBe(0);
    expect(await stored('messages')).toBe(2);
    proxy.close();
  });

  it('the key is kept ten minutes after the last unknown outcome, and not longer', async () => {
    const { state, proxy, bobs, through } = await behindLossyProxy();
    const send = ['send', 'frank@acme', 'Later.'];
    await bobs.run(send, through);
    const folder = join(bobs.home, 'pending');
    const kept = (): string => join(folder, readdirSync(folder)[0]!);
    const key = readFileSync(kept(), 'utf8');
    const ago = (minutes: number): Date => new Date(Date.now() - minutes * 60_000);
    utimesSync(kept(), ago(9), ago(9));
    await bobs.run(send, through);
    utimesSync(kept(), ago(9), ago(9));
    await bobs.run(send, through);
    expect(readFileSync(kept(), 'utf8')).toBe(key);
    utimesSync(kept(), ago(11), ago(11));
    state.losing = false;
    expect((await bobs.run(send, through)).code).toBe(0);
    expect(await stored('handoffs')).toBe(2);
    proxy.close();
  });

  it('a key that an earlier version did not finish writing is made anew, and kept', async () => {
    const { state, proxy, bobs, through } = await behindLossyProxy();
    const send = ['send', 'frank@acme', 'Half.'];
    await bobs.run(send, through);
    const folder = join(bobs.home, 'pending');
    writeFileSync(join(folder, readdirSync(folder)[0]!), '');
    await bobs.run(send, through);
    state.losing = false;
    await bobs.run(send, through);
    expect(await stored('handoffs')).toBe(2);
    proxy.close();
  });
});

describe('when the answer to a newcomer gets lost', () => {
  it('join says how to go on, and that leads to a connected workstation', async () => {
    await relay.agent('inviter@acme');
    const state = { losing: true };
    const proxy = await proxyTo(
      relay.url,
      (path, outgoing) => state.losing && path.includes('/invites/') && loseAnswer(outgoing),
    );
    const body = { handle: 'new@acme', inviter_handle: 'inviter@acme' };
    const invited = async (): Promise<string> =>
      (await relay.admin<{ url: string }>('POST', '/admin/invites', body)).body.url.replace(relay.url, proxy.url);
    const workstation = new Workstation();
    const link = await invited();
    const lost = await workstation.run(['join', link]);
    expect(lost).toMatchObject({ code: 1, stdout: '' });
    expect(lost.stderr).toContain('It is unknown whether the invite was used. (unavailable)');
    expect(lost.stderr).toContain('Run the same line again. When it says that the invite was used, ask for another');
    state.losing = false;
    expect((await workstation.run(['join', link])).stderr).toContain('The invite was used');
    expect((await workstation.run(['join', await invited()])).code).toBe(0);
    expect(readConfigFile(workstation.home)?.agent_handle).toBe('new@acme');
    proxy.close();
  });

  it('register says how to come by a key, and a relay that is away how to look for it', async () => {
    const proxy = await proxyTo(relay.url, (path, outgoing) => path.startsWith('/admin/') && loseAnswer(outgoing));
    const asAdmin = { RELAY_ADMIN_TOKEN: TEST_ADMIN_TOKEN };
    const lost = await new Workstation().run(['register', 'new@acme', '--relay', proxy.url], asAdmin);
    proxy.close();
    expect(lost.stderr).toContain('It is unknown whether new@acme was registered. (unavailable)');
    expect(lost.stderr).toContain('agentrelay invite new@acme\n');
    const away = await new Workstation().run(['register', 'new@acme', '--relay', 'http://127.0.0.1:9'], asAdmin);
    expect(away.stderr).toContain('Nothing was sent. (unavailable)');
    expect(away.stderr).toContain('curl -sS http://127.0.0.1:9/healthz\n');
    expect((await relay.anonymous('GET', '/healthz')).status).toBe(200);
  });
});
