import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'pg';
import { restCall } from '../../libs/testing/src/test-agent';
import type { Client } from './client';
import type { AgentLog, KeyLog } from './credentials';
import type { Random } from './random';

const USERS = 2;
const STEPS = 12;
const ATTEMPT_TIMEOUT_MS = 20_000;

interface Key extends KeyLog {
  apiKey: string;
}

interface Leaver extends AgentLog {
  keys: Key[];
  gone: boolean;
}

/** Agents that come and go: one side ends and renews their keys, disables, enables and erases them, while the other uses every key they ever had. */
export class Leavers {
  readonly keys: Key[] = [];
  private readonly database: Pool;
  private stopping = false;
  private count = 0;
  private sent = 0;
  private readonly work: Promise<unknown>;

  constructor(
    databaseUrl: string,
    private readonly urls: readonly string[],
    private readonly adminToken: string,
    private readonly teammates: readonly Client[],
    private readonly random: Random,
    atOnce: number,
  ) {
    this.database = new Pool({ connectionString: databaseUrl, max: atOnce });
    this.database.on('error', () => undefined);
    this.work = Promise.all(Array.from({ length: atOnce }, () => this.live()));
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.work;
    await this.database.end();
  }

  private async live(): Promise<void> {
    while (!this.stopping) {
      const leaver: Leaver = { handle: `leaver${++this.count}@acme`, disabled: [], keys: [], gone: false };
      const { handle } = leaver;
      await this.administer('POST', '', { handle, email: `leaver${this.count}@acme.example` });
      await this.issue(leaver);
      const users = Array.from({ length: USERS }, () => this.use(leaver));
      for (let step = 0; step < STEPS; step++) {
        await pause(this.random.between(100, 900));
        await this.change(leaver);
      }
      await this.disable(leaver);
      await this.administer('POST', `/${handle}/erase`);
      // The keys of who was erased are tried for a while.
      await pause(this.random.between(1_000, 3_000));
      leaver.gone = true;
      await Promise.all(users);
    }
  }

  private async change(leaver: Leaver): Promise<void> {
    const path = `/${leaver.handle}`;
    switch (this.random.pick(['issue', 'issue', 'revoke', 'rotate', 'leave'] as const)) {
      case 'issue':
        await this.issue(leaver);
        break;
      case 'revoke':
        await this.administer('DELETE', `${path}/keys/${this.random.pick(leaver.keys).id}`);
        break;
      case 'rotate':
        this.add(
          leaver,
          await this.administer('POST', `${path}/keys/rotate`, { overlap_seconds: this.random.between(0, 2) }),
        );
        break;
      case 'leave': {
        await this.disable(leaver);
        await pause(this.random.between(500, 4_000));
        const phase = leaver.disabled.at(-1);
        if (phase !== undefined) phase.until = Date.now();
        await this.administer('PATCH', path, { status: 'active' });
        await this.issue(leaver);
      }
    }
    await this.observe(leaver);
  }

  private async disable(leaver: Leaver): Promise<void> {
    await this.administer('DELETE', `/${leaver.handle}`);
    await this.observe(leaver);
  }

  private async issue(leaver: Leaver): Promise<void> {
    this.add(leaver, await this.administer('POST', `/${leaver.handle}/keys`, {}));
  }

  private add(leaver: Leaver, { key_id, api_key }: Record<string, unknown>): void {
    if (typeof key_id !== 'string' || typeof api_key !== 'string') return;
    const key: Key = { id: key_id, agent: leaver, apiKey: api_key, endedAt: undefined, uses: [], refusals: 0 };
    leaver.keys.push(key);
    this.keys.push(key);
  }

  /** Notes what has ended, when it is seen so in the database: by then it was committed. */
  private async observe(leaver: Leaver): Promise<void> {
    const text = `
      SELECT k.id, a.status, extract(epoch FROM clock_timestamp()) * 1000 AS now, k.revoked_at IS NOT NULL AS revoked,
        extract(epoch FROM k.expires_at) * 1000 AS "expiresAt"
      FROM api_keys k JOIN agents a ON a.id = k.agent_id WHERE k.id = ANY($1)`;
    const rows = await this.again(async () => {
      const ids = leaver.keys.map(({ id }) => id);
      return (await this.database.query<Observed>(text, [ids])).rows;
    });
    for (const { id, now, revoked, expiresAt } of rows) {
      const key = leaver.keys.find((one) => one.id === id);
      if (key === undefined || key.endedAt !== undefined) continue;
      if (revoked) key.endedAt = Number(now);
      else if (expiresAt !== null) key.endedAt = Math.max(Number(now), Number(expiresAt));
    }
    const [row] = rows;
    const open = leaver.disabled.at(-1)?.until === Infinity;
    if (row?.status === 'disabled' && !open) leaver.disabled.push({ from: Number(row.now), until: Infinity });
  }

  /** Uses one key after the other, ended or not, at any replica. */
  private async use(leaver: Leaver): Promise<void> {
    while (!leaver.gone) {
      const key = this.random.pick(leaver.keys.length > 0 ? leaver.keys.slice(-4) : [undefined]);
      if (key !== undefined) await this.call(key);
      await pause(this.random.between(5, 60));
    }
  }

  private async call(key: Key): Promise<void> {
    const recipient = this.random.pick(this.teammates).handle;
    const message = { role: 'user', parts: [{ type: 'text', text: `leaving ${++this.sent}` }] };
    const [method, params] = this.random.chance(0.1)
      ? ['message/send', { recipient, message }]
      : ['tasks/list', { page: { limit: 5 } }];
    const start = Date.now();
    try {
      const response = await fetch(`${this.random.pick(this.urls)}/a2a`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key.apiKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS),
      });
      const answer = (await response.json()) as { result?: unknown };
      if (answer.result === undefined) key.refusals++;
      else key.uses.push(start);
    } catch {
      // No answer says nothing.
    }
  }

  /** What an administrator asks for, until a replica answers it in some way. */
  private administer(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    return this.again(async () => {
      const url = this.random.pick(this.urls);
      const asked = restCall<Record<string, unknown>>(url, this.adminToken, method, `/admin/agents${path}`, body);
      const late = pause(ATTEMPT_TIMEOUT_MS, undefined, { ref: false }).then(() => Promise.reject(new Error('late')));
      const { status, body: answer } = await Promise.race([asked, late]);
      if (status >= 500 || status === 429) throw new Error(`It was answered ${status}.`);
      return answer;
    });
  }

  private async again<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await work();
      } catch {
        await pause(this.random.between(50, 500));
      }
    }
  }
}

interface Observed {
  id: string;
  status: string;
  now: string;
  revoked: boolean;
  expiresAt: string | null;
}
