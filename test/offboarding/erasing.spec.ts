import { restCall, type TestAgent, text, useReplicas } from '@agentrelay/testing';

const { relay, urlOf } = useReplicas(2);

const PERSON = { email: 'franziska@private.example', display_name: 'Franziska Q.', role: 'quartermaster' };

let bob: TestAgent;
let frank: TestAgent;

/** A person who leaves traces everywhere that one can. */
beforeEach(async () => {
  bob = await relay.agent('bob@acme');
  const invite = { handle: 'franziska@acme', inviter_handle: 'bob@acme', role: PERSON.role, email: PERSON.email };
  await relay.admin('POST', '/admin/invites', invite);
  const { body } = await relay.admin<{ url: string; jti: string }>('POST', '/admin/invites', invite);
  const redeemed = await restCall<{ agent_id: string; api_key: string }>(
    relay.url,
    undefined,
    'POST',
    `/invites/${body.jti}/redeem`,
    { token: body.url.split('.').at(-1), display_name: PERSON.display_name },
  );
  frank = bob.withKey(redeemed.body.api_key);
  await frank.rest('PUT', '/agents/me/card', {
    description: 'Franziska keeps the stores.',
    skills: ['franziska'],
    repos_owned: ['acme/franziska'],
  });
  await frank.rest('POST', '/agents/me/block', { handle: 'bob', reason: 'Franziska said so.' });
  await frank.rest('DELETE', '/agents/me/block/bob');
  const eve = await relay.agent('eve@acme');
  await frank.rest('POST', '/agents/me/block', { handle: 'eve', reason: 'Franziska said so.' });
  await eve.rest('POST', '/agents/me/block', { handle: 'franziska' });
  await relay.admin('POST', '/admin/agents/franziska@acme/keys', { label: 'laptop of Franziska' });
  await relay.admin('PATCH', '/admin/agents/franziska@acme', { role: PERSON.role });
});

const disable = () => relay.admin('DELETE', '/admin/agents/franziska@acme');
const erase = (handle = 'franziska@acme') => relay.admin<{ handle: string }>('POST', `/admin/agents/${handle}/erase`);

describe('erasing a person who has left', () => {
  it('leaves no handle, name, address or role of theirs anywhere in the database', async () => {
    const { task_id: id } = await bob.send('franziska');
    await frank.accept(id);
    expect((await relay.database.dump()).match(/franziska|quartermaster/gi)!.length).toBeGreaterThan(10);
    await disable();
    const { status, body } = await erase();
    expect([status, body.handle]).toEqual([200, expect.stringMatching(/^former-[0-9a-f]{12}@acme$/)]);
    expect((await relay.database.dump()).match(/.*(franziska|quartermaster).*/gi)).toBeNull();
  });

  it('leaves what was said to whom it was said, from the pseudonym', async () => {
    const { task_id: id } = await bob.send('franziska', { message: text('Dear Franziska') });
    await frank.append(id, 'Yours, Franziska');
    await frank.accept(id);
    await disable();
    const { body } = await erase();
    const thread = await bob.get(id);
    expect(thread.recipient).toEqual({ handle: body.handle, name: 'Former teammate', role: '' });
    expect(thread.messages.map(({ from, body: said }) => [from, said])).toEqual([
      ['bob@acme', 'Dear Franziska'],
      [body.handle, 'Yours, Franziska'],
      ['system', expect.any(String)],
    ]);
    const { items } = await bob.call<{ items: object[] }>('tasks/list', {
      filter: { role: 'any', counterpart: body.handle },
    });
    expect(items).toHaveLength(1);
  });

  it('keeps the log, which then tells of the pseudonym', async () => {
    await frank.send('bob');
    await disable();
    const { body } = await erase();
    const { events } = (await bob.rest<{ events: { type: string; actor: string }[] }>('GET', '/agents/me/events')).body;
    expect(events.find(({ type }) => type === 'handoff.created')!.actor).toBe(body.handle);
    expect(
      await relay.database.query(`SELECT actor_name, agent_id, payload FROM events WHERE type = 'agent.erased'`),
    ).toEqual([{ actor_name: 'admin', agent_id: expect.any(String) as string, payload: {} }]);
  });

  it('is refused while the agent is active, and changes nothing', async () => {
    const before = await relay.database.dump();
    expect(await erase()).toMatchObject({ status: 409, body: { code: 'conflict', details: { field: 'status' } } });
    expect(await relay.database.dump()).toBe(before);
  });

  it('closes invites of that handle, and frees it for somebody else', async () => {
    await disable();
    await erase();
    const { invites } = (
      await relay.admin<{ invites: { handle: string; revoked_at: string | null }[] }>('GET', '/admin/invites')
    ).body;
    expect(invites.map(({ handle, revoked_at }) => [handle.split('-')[0], revoked_at !== null])).toEqual([
      ['former', false],
      ['former', true],
    ]);
    const next = await relay.agent('franziska@acme');
    expect((await bob.send('franziska')).recipient).toBe(next.handle);
    expect(await erase('nobody@acme')).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('forgets the address with the last of their agents, in whatever order they go', async () => {
    const second = await relay.agent('franziska-ci@acme', { email: PERSON.email });
    await disable();
    await erase();
    expect((await relay.database.dump()).includes(PERSON.email)).toBe(true);
    await relay.admin('DELETE', `/admin/agents/${second.handle}`);
    await erase(second.handle);
    expect((await relay.database.dump()).match(/.*(franziska|quartermaster).*/gi)).toBeNull();
  });

  it('finds another pseudonym where theirs is taken, also in a team of the longest name', async () => {
    const longest = `q@${'x'.repeat(118)}`;
    const other = await relay.agent(longest);
    await relay.agent(`former-${other.agentId.slice(-12)}@${'x'.repeat(60)}`);
    await relay.admin('DELETE', `/admin/agents/${longest}`);
    const { status, body } = await erase(longest);
    expect([status, body.handle.length <= 120]).toEqual([200, true]);
    expect(body.handle).toMatch(new RegExp(`^former-${other.agentId.slice(-12)}-[0-9a-f-]{36}@x+$`));
    expect((await relay.admin('PATCH', `/admin/agents/${body.handle}`, { status: 'active' })).status).toBe(409);
  });

  it('takes reasons of blocks about them, and their address from invites of other handles', async () => {
    await relay.admin('DELETE', '/admin/agents/eve@acme');
    const grace = await relay.agent('grace@acme');
    await grace.rest('POST', '/agents/me/block', { handle: 'franziska', reason: 'Franziska shouts.' });
    const invite = { handle: 'next@acme', inviter_handle: 'bob@acme', email: PERSON.email.toUpperCase() };
    await relay.admin('POST', '/admin/invites', invite);
    await disable();
    await erase();
    expect((await relay.database.dump()).match(/.*(franziska|quartermaster).*/gi)).toBeNull();
    expect((await grace.rest<{ blocked: object[] }>('GET', '/agents/me/block')).body.blocked).toHaveLength(1);
  });

  it('of two agents of one owner at once forgets the owner', async () => {
    const second = await relay.agent('franziska-ci@acme', { email: PERSON.email });
    await disable();
    await relay.admin('DELETE', `/admin/agents/${second.handle}`);
    await Promise.all([erase(), erase(second.handle)]);
    expect((await relay.database.dump()).match(/.*(franziska|quartermaster).*/gi)).toBeNull();
  });

  it('cannot be undone: a pseudonym is neither enabled nor renamed, and gets no key and no invite', async () => {
    await disable();
    const path = `/admin/agents/${(await erase()).body.handle}`;
    for (const body of [{ status: 'active' }, { display_name: 'Franziska' }, { role: 'qa' }]) {
      expect(await relay.admin('PATCH', path, body)).toMatchObject({
        status: 409,
        body: { code: 'conflict', details: { field: 'status' } },
      });
    }
    expect((await relay.admin('POST', `${path}/keys`, {})).status).toBe(409);
    const invite = { handle: path.slice('/admin/agents/'.length), inviter_handle: 'bob@acme' };
    expect((await relay.admin('POST', '/admin/invites', invite)).status).toBe(409);
  });

  it('lets nothing more be written about them, not even through a replica that still has their key cached', async () => {
    const elsewhere = frank.at(urlOf(1));
    for (let round = 0; round < 3; round++) {
      await relay.admin('PATCH', '/admin/agents/franziska@acme', { status: 'active' });
      const { body } = await relay.admin<{ api_key: string }>('POST', '/admin/agents/franziska@acme/keys', {});
      const cached = elsewhere.withKey(body.api_key);
      expect((await cached.rest('GET', '/agents/me')).status).toBe(200);
      await disable();
      if (round === 2) await erase();
      const writes = [
        await cached.rest('PUT', '/agents/me/card', { description: 'Franziska again.' }),
        await cached.rest('POST', '/agents/me/block', { handle: 'bob', reason: 'Franziska said so again.' }),
      ];
      expect(writes.map(({ status }) => status)).toEqual([401, 401]);
    }
    expect((await relay.database.dump()).match(/.*franziska.*/gi)).toBeNull();
  });

  it('is for administrators only', async () => {
    expect((await bob.rest('POST', '/admin/agents/franziska@acme/erase')).status).toBe(403);
    expect((await relay.anonymous('POST', '/admin/agents/franziska@acme/erase')).status).toBe(401);
  });
});
