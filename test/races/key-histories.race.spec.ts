import { type Answer, eventually, restCall, TEST_ADMIN_TOKEN, text, useReplicas } from '@agentrelay/testing';

const { relay, urlOf } = useReplicas(2);

/** `npm run soak` tries many, others each time; `KEYS_SEED` repeats one. */
const SOAK = process.env['SOAK'] === '1';
const HISTORIES = SOAK ? 60 : 5;
const SEED = Number(process.env['KEYS_SEED'] ?? (SOAK ? Date.now() % 2 ** 31 : 20_261_201));
/** How many act on one agent at once, and how often each does. */
const ACTORS = 6;
const ACTIONS = 30;

/** What is cached of a key on a replica that did not hear of its end. */
const CACHED_MS = 1_000;

interface HeldKey {
  id: string;
  apiKey: string;
  parentId: string | null;
}

interface Use {
  keyId: string;
  /** By the database's clock, in milliseconds, before the call was made. */
  at: number;
  status: number;
}

/** Numbers that a seed repeats. */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

async function databaseTime(): Promise<number> {
  const [row] = await relay.database.query<{ now: number }>(
    'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS now',
  );
  return row!.now;
}

/** One agent whose keys are made, used and ended by several holders and administrators at once. */
class KeyHistory {
  readonly keys: HeldKey[] = [];
  readonly uses: Use[] = [];
  /** Handoffs that were sent, each with the key that it was sent with. */
  readonly sent: { keyId: string; taskId: string }[] = [];
  /** What a call to revoke has named, with success. */
  readonly revoked = new Set<string>();
  /** Living descendants of these, as seen after each such call. */
  readonly survivors: object[] = [];
  longestMs = 0;

  constructor(
    readonly agentId: string,
    private readonly handle: string,
    private readonly pick: (below: number) => number,
  ) {}

  async act(): Promise<void> {
    const start = await databaseTime();
    const choice = this.pick(100);
    if (choice < 30) await this.use();
    else if (choice < 62) await this.rotate();
    else if (choice < 76) await this.issue();
    else if (choice < 82) await this.revoke();
    else if (choice < 87) await this.endOwn();
    else if (choice < 90) await this.rotateByAdministrator();
    else if (choice < 92) await this.redeem();
    else if (choice < 94) await this.admin('DELETE', '');
    else await this.admin('PATCH', '', { status: 'active' });
    this.longestMs = Math.max(this.longestMs, (await databaseTime()) - start);
  }

  /** Whether `id` is `of` or was made by it, or by what it made. */
  private descends(id: string, of: string): boolean {
    for (let key = this.keyOf(id); key !== undefined; key = this.keyOf(key.parentId)) if (key.id === of) return true;
    return false;
  }

  private keyOf(id: string | null): HeldKey | undefined {
    return this.keys.find((key) => key.id === id);
  }

  /** Mostly one of the newest: older ones have ended. */
  private anyKey(): HeldKey | undefined {
    const recent = this.pick(4) > 0 ? this.keys.slice(-3) : this.keys;
    return recent[this.pick(recent.length)];
  }

  private async call<Body>(key: HeldKey, method: string, path: string, body?: object): Promise<Answer<Body>> {
    const at = await databaseTime();
    const answer = await restCall<Body>(urlOf(this.pick(2)), key.apiKey, method, path, body);
    this.uses.push({ keyId: key.id, at, status: answer.status });
    return answer;
  }

  private admin<Body>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    const url = urlOf(this.pick(2));
    return restCall<Body>(url, TEST_ADMIN_TOKEN, method, `/admin/agents/${this.handle}${path}`, body);
  }

  private keep({ status, body }: Answer<{ key_id: string; api_key: string }>, parentId: string | null): void {
    if (status < 300) this.keys.push({ id: body.key_id, apiKey: body.api_key, parentId });
  }

  private async use(): Promise<void> {
    const key = this.anyKey();
    if (key === undefined) return;
    if (this.pick(2) === 0) await this.call(key, 'GET', '/agents/me');
    else await this.send(key);
  }

  private async send(key: HeldKey): Promise<void> {
    const params = { recipient: 'inviter@acme', message: text('x') };
    const call = { jsonrpc: '2.0', id: 1, method: 'message/send', params };
    const { body } = await this.call<{ result?: { task_id: string } }>(key, 'POST', '/a2a', call);
    if (body.result !== undefined) this.sent.push({ keyId: key.id, taskId: body.result.task_id });
  }

  private async rotate(): Promise<void> {
    const key = this.anyKey();
    if (key === undefined) return;
    const body = { keep_others: this.pick(4) > 0, overlap_seconds: [0, 1, 60, 86_400][this.pick(4)] };
    this.keep(await this.call(key, 'POST', '/agents/me/keys/rotate', body), key.id);
  }

  private async issue(): Promise<void> {
    const ends = this.pick(5) === 0 ? { expires_at: new Date(Date.now() + 200 + this.pick(1_500)).toISOString() } : {};
    this.keep(await this.admin('POST', '/keys', ends), null);
  }

  private async revoke(): Promise<void> {
    const key = this.anyKey();
    if (key !== undefined) await this.noteRevoked(key.id, await this.admin('DELETE', `/keys/${key.id}`));
  }

  private async noteRevoked(id: string, { status }: Answer): Promise<void> {
    if (status !== 200) return;
    this.revoked.add(id);
    this.survivors.push(...(await descendants(this.agentId, [...this.revoked])));
  }

  /** Not of what the calling key descends from: that would spare it. */
  private async endOwn(): Promise<void> {
    const [key, other] = [this.anyKey(), this.anyKey()];
    if (key === undefined || other === undefined || (key !== other && this.descends(key.id, other.id))) return;
    await this.noteRevoked(other.id, await this.call(key, 'DELETE', `/agents/me/keys/${other.id}`));
  }

  private async rotateByAdministrator(): Promise<void> {
    this.keep(await this.admin('POST', '/keys/rotate', { overlap_seconds: this.pick(2) * 30 }), null);
  }

  private async redeem(): Promise<void> {
    const invite = { handle: this.handle, inviter_handle: 'inviter@acme' };
    const minted = await relay.admin<{ url: string; jti: string }>('POST', '/admin/invites', invite);
    if (minted.status !== 201) return;
    const body = { token: minted.body.url.split('.').at(-1) };
    const path = `/invites/${minted.body.jti}/redeem`;
    const { status, body: redeemed } = await restCall<{ api_key: string }>(
      urlOf(this.pick(2)),
      undefined,
      'POST',
      path,
      body,
    );
    if (status !== 201) return;
    const [row] = await relay.database.query<{ id: string }>('SELECT id FROM api_keys WHERE public_id = $1', [
      redeemed.api_key.slice(8, 20),
    ]);
    this.keys.push({ id: row!.id, apiKey: redeemed.api_key, parentId: null });
  }
}

interface StoredKey {
  id: string;
  ended: number | null;
  revoked: boolean;
  lives: boolean;
}

function stored(agentId: string): Promise<StoredKey[]> {
  return relay.database.query<StoredKey>(
    `SELECT id, (extract(epoch FROM least(revoked_at, expires_at)) * 1000)::float8 AS ended, revoked_at IS NOT NULL AS revoked,
       revoked_at IS NULL AND (expires_at IS NULL OR expires_at > clock_timestamp()) AS lives
     FROM api_keys WHERE agent_id = $1`,
    [agentId],
  );
}

const LINE = `
  WITH RECURSIVE line AS (
    SELECT id, id AS first, expires_at, term_ends_at, revoked_at FROM api_keys WHERE agent_id = $1
    UNION ALL
    SELECT k.id, line.first, k.expires_at, k.term_ends_at, k.revoked_at FROM api_keys k JOIN line ON k.parent_id = line.id)
  SELECT line.first, line.id FROM line JOIN api_keys f ON f.id = line.first
  WHERE line.id <> line.first AND line.revoked_at IS NULL AND (line.expires_at IS NULL OR line.expires_at > clock_timestamp())`;

/** Living keys that descend from one of these. */
function descendants(agentId: string, keyIds: readonly string[]): Promise<object[]> {
  return relay.database.query(`${LINE} AND f.id = ANY($2)`, [agentId, keyIds]);
}

/** Living keys whose end is after that of one that they descend from. */
function outliving(agentId: string): Promise<object[]> {
  return relay.database.query(
    `${LINE} AND coalesce(line.expires_at, 'infinity')
       > coalesce(f.term_ends_at, f.expires_at, 'infinity') + interval '1 second'`,
    [agentId],
  );
}

/**
 * Handoffs that were written after their key had ended. An end is committed some time after the moment that it notes, and a write
 * is dated some time after it looked at its key: at most as long as the longest action took.
 */
async function writtenAfterTheEnd({ sent, longestMs }: KeyHistory): Promise<object[]> {
  return relay.database.query(
    `SELECT h.id, h.created_at, least(k.revoked_at, k.expires_at) AS ended
     FROM unnest($1::uuid[], $2::uuid[]) s (key_id, task_id) JOIN handoffs h ON h.id = s.task_id JOIN api_keys k ON k.id = s.key_id
     WHERE h.created_at > least(k.revoked_at, k.expires_at) + make_interval(secs => $3)`,
    [sent.map(({ keyId }) => keyId), sent.map(({ taskId }) => taskId), longestMs / 1_000],
  );
}

async function run(seed: number): Promise<void> {
  const agent = await relay.agent();
  const history = new KeyHistory(agent.agentId, agent.handle, numbers(seed));
  const [first] = await stored(agent.agentId);
  history.keys.push({ id: first!.id, apiKey: agent.apiKey, parentId: null });
  const actor = async (): Promise<void> => {
    for (let n = 0; n < ACTIONS; n++) await history.act();
  };
  await Promise.all(Array.from({ length: ACTORS }, actor));

  const keys = new Map((await stored(agent.agentId)).map((key) => [key.id, key]));
  const late = history.uses.filter(({ keyId, at, status }) => {
    const { ended, revoked } = keys.get(keyId)!;
    // A revocation is committed some time after the moment that it notes: at most as long as the longest action took.
    return status < 300 && ended !== null && at > ended + CACHED_MS + (revoked ? history.longestMs : 0);
  });
  expect(late).toEqual([]);
  expect(await writtenAfterTheEnd(history)).toEqual([]);
  expect(history.survivors).toEqual([]);
  expect(await descendants(agent.agentId, [...history.revoked])).toEqual([]);
  expect(await outliving(agent.agentId)).toEqual([]);
  expect([...keys.values()].filter(({ lives }) => lives).length).toBeLessThanOrEqual(10);
  expect(new Set(history.uses.map(({ status }) => status))).not.toContain(500);
  const [row] = await relay.database.query<{ active: boolean }>(
    `SELECT status = 'active' AS active FROM agents WHERE id = $1`,
    [agent.agentId],
  );
  await eventually(`both replicas say of every key of seed ${seed} what the database does`, async () => {
    const now = await stored(agent.agentId);
    const works = new Set(now.filter(({ lives }) => lives && row!.active).map(({ id }) => id));
    for (const { id, apiKey } of history.keys) {
      for (const n of [0, 1]) {
        const { status } = await restCall(urlOf(n), apiKey, 'GET', '/agents/me');
        if ((status === 200) !== works.has(id)) return false;
      }
    }
    return true;
  });
}

describe('keys that are made, rotated, ended, disabled and enabled at once, on two replicas', () => {
  beforeEach(async () => {
    await relay.agent('inviter@acme');
  });

  it.each(Array.from({ length: HISTORIES }, (_, n) => SEED + n))(
    'work no longer than a second after their end, and no successor of one lives: seed %i',
    run,
  );
});
