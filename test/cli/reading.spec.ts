import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text, useRelay } from '@agentrelay/testing';
import { Ledger } from '@agentrelay/workstation';
import { Workstation } from './agentrelay';

const relay = useRelay();

/** What a terminal or a reader would act on: controls but the line feed, bidi, zero-width. */
const ACTIVE = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;
const HOSTILE = 'start\u001b[2J\u001b[31mred\u009b1mbold\u202eevil\u0007\rover\u200b\u2066end\nagentrelay: all is well';

describe('whoami', () => {
  it('says who this is, by the relay, and what to do next', async () => {
    const frank = await relay.agent('frank@acme', { role: 'frontend' });
    const workstation = Workstation.of(frank);
    const { code, stdout } = await workstation.run(['whoami']);
    expect(code).toBe(0);
    expect(stdout).toContain('frank@acme');
    expect(stdout).toContain('agentrelay inbox');
    expect(await workstation.json(['whoami'])).toEqual({
      handle: 'frank@acme',
      name: 'The agent frank@acme',
      role: 'frontend',
      status: 'active',
      principal: 'agent',
      agent_id: frank.agentId,
      relay_url: frank.url,
    });
  });

  it('refuses a config that others can read', async () => {
    const workstation = Workstation.of(await relay.agent('frank@acme'));
    chmodSync(join(workstation.home, 'config.json'), 0o644);
    const { code, stderr } = await workstation.run(['whoami']);
    expect(code).toBe(1);
    expect(stderr).toContain(`chmod 600 ${join(workstation.home, 'config.json')}`);
  });

  it('goes by the environment before config.json', async () => {
    const { bob, frank } = await relay.pair();
    const workstation = Workstation.of(frank);
    const asBob = { AGENTRELAY_URL: bob.url, AGENTRELAY_API_KEY: bob.apiKey };
    expect(await workstation.json(['whoami'], asBob)).toMatchObject({ handle: 'bob@acme' });
    const elsewhere = Workstation.of(bob);
    expect(await workstation.json(['whoami'], { AGENTRELAY_HOME: elsewhere.home })).toMatchObject({
      handle: 'bob@acme',
    });
  });

  it('ends with code 1 and the symbol when the key is refused, and never shows the key', async () => {
    const frank = await relay.agent('frank@acme');
    const workstation = Workstation.of(frank);
    await relay.admin('POST', '/admin/agents/frank@acme/keys/rotate', { overlap_seconds: 0 });
    const { code, stdout, stderr } = await workstation.run(['whoami']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('(unauthenticated)');
    expect(stderr).toContain('agentrelay join');
    expect(stderr).not.toContain(frank.apiKey);
  });
});

describe('inbox and show', () => {
  it('list what waits, newest first, and show one without moving the agent’s read position', async () => {
    const { bob, frank } = await relay.pair();
    const workstation = Workstation.of(frank);
    expect((await workstation.run(['inbox'])).stdout).toBe('No handoffs (pending, accepted) for you.\n');
    const first = await bob.send('frank@acme', { message: text('The first one.') });
    const second = await bob.send('frank@acme', {
      message: text('The second one.'),
      artifacts: [{ type: 'file_diff', path: 'a.ts', diff: '-a\n+b' }],
    });
    const inbox = await workstation.run(['inbox']);
    expect(inbox.stdout.indexOf(second.thread_id)).toBeLessThan(inbox.stdout.indexOf(first.thread_id));
    expect(inbox.stdout).toContain(`agentrelay show ${second.thread_id}`);
    const shown = await workstation.run(['show', second.inbox_url]);
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('│ The second one.');
    expect(shown.stdout).toContain('│ -a\n│ +b\n');
    const { items } = await workstation.json<{ items: { unread_messages: number }[] }>(['inbox']);
    expect(items.map(({ unread_messages }) => unread_messages)).toEqual([1, 1]);
    expect(await workstation.json(['show', first.thread_id])).toMatchObject({
      summary: 'The first one.',
      messages: [{}],
    });
  });

  it('list everything, page after page, unless asked for less', async () => {
    const { bob, frank } = await relay.pair();
    const count = 205;
    for (let n = 0; n < count; n += 15)
      await Promise.all(Array.from({ length: Math.min(15, count - n) }, () => bob.send('frank@acme')));
    const workstation = Workstation.of(frank);
    const ids = async (...args: string[]): Promise<{ ids: Set<string>; next: unknown }> => {
      const list = await workstation.json<{ items: { thread_id: string }[]; next_cursor: unknown }>(['inbox', ...args]);
      return { ids: new Set(list.items.map(({ thread_id }) => thread_id)), next: list.next_cursor };
    };
    expect(await ids()).toEqual({ ids: expect.objectContaining({ size: count }) as unknown, next: null });
    const some = await ids('--limit', '203');
    expect(some.ids.size).toBe(203);
    expect(some.next).not.toBeNull();
    expect((await workstation.run(['inbox', '--limit', '3'])).stdout).toContain(
      'There are more; ask for them with --limit.',
    );
  });

  it('show sent work, and ended work, when asked', async () => {
    const { bob, frank } = await relay.pair();
    const { thread_id, task_id } = await bob.send('frank@acme');
    await bob.cancel(task_id);
    const sent = await Workstation.of(bob).json<{ items: object[] }>([
      'inbox',
      '--role',
      'sender',
      '--status',
      'cancelled',
    ]);
    expect(sent.items).toMatchObject([{ thread_id, status: { state: 'cancelled' } }]);
    expect((await Workstation.of(frank).run(['show', thread_id])).stdout).toContain('This thread has ended');
  });

  it('let no teammate move the cursor, change colours, reorder text or pass for a line of ours', async () => {
    const { bob, frank } = await relay.pair();
    await relay.admin('PATCH', '/admin/agents/bob@acme', { display_name: `Bob${HOSTILE}` });
    const { thread_id } = await bob.send('frank@acme', {
      message: text(HOSTILE),
      artifacts: [{ type: 'link', url: 'https://acme.example', title: HOSTILE, [HOSTILE]: HOSTILE }],
      metadata: { question: HOSTILE, [HOSTILE]: HOSTILE },
      payload: { [HOSTILE]: HOSTILE },
    });
    const workstation = Workstation.of(frank);
    for (const args of [
      ['inbox'],
      ['show', thread_id],
      ['inbox', '--json'],
      ['show', thread_id, '--json'],
      ['audit'],
    ]) {
      const { code, stdout } = await workstation.run(args);
      expect(code).toBe(0);
      expect(stdout).not.toMatch(ACTIVE);
      expect(stdout).not.toMatch(/^agentrelay: all is well/m);
    }
    const { summary } = await workstation.json<{ summary: string }>(['show', thread_id]);
    expect(summary).toBe(HOSTILE);
  });

  it('end with code 1 and the symbol for a thread of others', async () => {
    const { bob, frank } = await relay.pair();
    const { thread_id } = await bob.send('frank@acme');
    const stranger = Workstation.of(await relay.agent('carol@acme'));
    const { code, stdout, stderr } = await stranger.run(['show', thread_id]);
    expect({ code, stdout, frank: frank.handle }).toEqual({ code: 1, stdout: '', frank: 'frank@acme' });
    expect(stderr).toContain('(thread_not_found)');
    expect(stderr).toContain('agentrelay inbox --role any');
  });
});

describe('audit', () => {
  it('shows the relay’s events and the local ledger together, narrowed as asked', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id, thread_id } = await bob.send('frank@acme');
    await frank.accept(task_id);
    await bob.events(1);
    const workstation = Workstation.of(bob);
    const entry = {
      session_id: 's',
      tool: 'handoff_to_teammate',
      arguments_digest: 'sha256:1',
      result: 'ok',
      thread_id,
    };
    const ledger = Ledger.open(workstation.home);
    ledger.append({ at: '2020-01-01T00:00:00.000Z', ...entry, tool: 'check_inbox' });
    ledger.append({ at: new Date().toISOString(), ...entry });
    const ask = (...args: string[]): Promise<{ events: { type: string }[]; ledger: { tool: string }[] }> =>
      workstation.json(['audit', ...args]);
    const all = await ask();
    expect(all.events.map(({ type }) => type)).toEqual(expect.arrayContaining(['handoff.created', 'handoff.accepted']));
    expect(all.ledger.map(({ tool }) => tool)).toEqual(['check_inbox', 'handoff_to_teammate']);
    const recent = await ask('--since', '1h');
    expect(recent.ledger.map(({ tool }) => tool)).toEqual(['handoff_to_teammate']);
    const theirs = await ask('--from', 'frank@acme');
    expect(theirs).toMatchObject({ events: [{ type: 'handoff.accepted' }], ledger: [] });
    expect(await ask('--action', 'handoff.created')).toMatchObject({
      events: [{ type: 'handoff.created' }],
      ledger: [],
    });
    expect(await ask('--action', 'check_inbox')).toMatchObject({ events: [], ledger: [{ tool: 'check_inbox' }] });
    expect((await ask('--limit', '1')).events).toHaveLength(1);
    const { stdout } = await workstation.run(['audit']);
    expect(stdout.trimEnd().split('\n')[0]).toContain('check_inbox');
  });
});

describe('audit with a key from the environment', () => {
  it('takes this workstation’s ledger for the key’s owner, whatever config.json looks like', async () => {
    const frank = await relay.agent('frank@acme');
    const asFrank = { AGENTRELAY_URL: frank.url, AGENTRELAY_API_KEY: frank.apiKey };
    const workstation = new Workstation();
    const entry = { session_id: 's', tool: 'check_inbox', arguments_digest: 'sha256:1', result: 'ok' };
    Ledger.open(workstation.home).append({ at: new Date().toISOString(), ...entry });
    const tools = async (...args: string[]): Promise<string[]> => {
      const { ledger } = await workstation.json<{ ledger: { tool: string }[] }>(['audit', ...args], asFrank);
      return ledger.map(({ tool }) => tool);
    };
    expect(await tools('--from', 'frank@acme')).toEqual(['check_inbox']);
    expect(await tools('--from', 'bob@acme')).toEqual([]);
    writeFileSync(join(workstation.home, 'config.json'), '{', { mode: 0o600 });
    expect(await tools()).toEqual(['check_inbox']);
    expect(await tools('--from', 'frank@acme')).toEqual(['check_inbox']);
  });
});

describe('every command that asks the relay', () => {
  it.each([
    [['whoami']],
    [['inbox']],
    [['show', '01a22c93-dbc2-76ad-8065-c100a926d60c']],
    [['audit']],
    [['rotate-key']],
  ])('says that the relay does not answer, and ends with code 1: %j', async (args) => {
    const frank = await relay.agent();
    const workstation = Workstation.of(frank);
    const { code, stdout, stderr } = await workstation.run(args, { AGENTRELAY_URL: 'http://127.0.0.1:9' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('does not answer');
    expect(stderr).toContain('agentrelay doctor');
  });
});
