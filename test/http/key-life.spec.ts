import { eventually, restCall, useRelay } from '@agentrelay/testing';

const relay = useRelay();

const OLD = 'p1:test-pepper-of-at-least-32-characters!';
const NEW = 'p2:another-pepper-of-at-least-32-characters';

function statusAt(url: string, key: string): Promise<number> {
  return restCall(url, key, 'GET', '/agents/me').then(({ status }) => status);
}

describe('a key', () => {
  it('that has come to its end is refused, and one before it works', async () => {
    const bob = await relay.agent('bob@acme');
    const late = { expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    const { body } = await relay.admin<{ api_key: string; key_id: string }>(
      'POST',
      '/admin/agents/bob@acme/keys',
      late,
    );
    expect(await statusAt(relay.url, body.api_key)).toBe(200);
    const other = await relay.replica();
    await relay.database.query(`UPDATE api_keys SET expires_at = now() WHERE id = $1`, [body.key_id]);
    expect([await statusAt(other.url, body.api_key), await statusAt(other.url, bob.apiKey)]).toEqual([401, 200]);
    await other.app.close();
  });

  it('notes its last use again when a minute has passed, and not before', async () => {
    const bob = await relay.agent('bob@acme');
    const other = await relay.replica();
    const usedAgo = (interval: string) =>
      relay.database.query(`UPDATE api_keys SET last_used_at = date_trunc('second', now()) - $1::interval`, [interval]);
    const noted = async () => {
      const [row] = await relay.database.query<{ noted: boolean }>(
        `SELECT last_used_at > date_trunc('second', now()) - interval '10 seconds' AS noted FROM api_keys`,
      );
      return row!.noted;
    };
    // Each replica looks a key up once and then caches it for a moment.
    await usedAgo('50 seconds');
    await statusAt(relay.url, bob.apiKey);
    expect(await noted()).toBe(false);
    await usedAgo('70 seconds');
    await statusAt(other.url, bob.apiKey);
    await eventually('the use was noted', noted);
    await other.app.close();
  });

  it('works although its last use cannot be noted: the database refuses to write, or somebody holds the row', async () => {
    const bob = await relay.agent('bob@acme');
    const holder = await relay.database.connect();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE api_keys IN SHARE MODE');
    const other = await relay.replica();
    expect([await statusAt(relay.url, bob.apiKey), await statusAt(other.url, bob.apiKey)]).toEqual([200, 200]);
    expect(await relay.database.query('SELECT last_used_at FROM api_keys')).toEqual([{ last_used_at: null }]);
    await holder.query('COMMIT');
    await holder.end();
    await eventually('the use was noted', async () => {
      const [row] = await relay.database.query<{ last_used_at: Date | null }>('SELECT last_used_at FROM api_keys');
      return row!.last_used_at !== null;
    });
    await other.app.close();
  });

  it('of a person shows as a person in whoami and as the actor of what it does', async () => {
    const { bob, frank } = await relay.pair();
    const human = await relay.humanOf(bob);
    expect((await human.rest('GET', '/agents/me')).body).toMatchObject({ handle: 'bob@acme', principal: 'human' });
    await human.send('frank');
    await bob.send('frank');
    const { events } = await frank.events(2);
    expect(events).toMatchObject([
      { actor: 'bob@acme', actor_kind: 'human' },
      { actor: 'bob@acme', actor_kind: 'agent' },
    ]);
  });
});

describe('a change of the pepper', () => {
  it('seals new keys with the first one, lets old keys work while theirs is listed, and kills them with it', async () => {
    const bob = await relay.agent('bob@acme');
    const both = await relay.replica({ RELAY_KEY_PEPPERS: `${NEW},${OLD}` });
    const made = await restCall<{ api_key: string }>(both.url, bob.apiKey, 'POST', '/agents/me/keys/rotate');
    const fresh = made.body.api_key;
    expect([await statusAt(both.url, bob.apiKey), await statusAt(both.url, fresh)]).toEqual([200, 200]);
    await both.app.close();
    expect(await relay.database.query('SELECT pepper_id FROM api_keys ORDER BY created_at')).toEqual([
      { pepper_id: 'p1' },
      { pepper_id: 'p2' },
    ]);
    const after = await relay.replica({ RELAY_KEY_PEPPERS: NEW });
    expect([await statusAt(after.url, bob.apiKey), await statusAt(after.url, fresh)]).toEqual([401, 200]);
    await after.app.close();
    // A relay that knows only the old pepper cannot tell the new key from a forgery.
    expect([await statusAt(relay.url, bob.apiKey), await statusAt(relay.url, fresh)]).toEqual([200, 401]);
  });
});
