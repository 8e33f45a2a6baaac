import { setTimeout as pause } from 'node:timers/promises';
import type { TestAgent } from '../../../libs/testing/src/test-agent';
import { type Answer, restCall } from '../../../libs/testing/src/test-agent';
import { AttackedRelay } from '../attacked-relay';
import { type Attack, register, type Scene, scaled } from '../scene';

const RACES = 40;
/** A key that has ended is refused everywhere after a second. */
const ENDED_MS = 1_100;
const DAY_SECONDS = 86_400;
const MONTH_SECONDS = 30 * DAY_SECONDS;

interface Issued {
  /** Absent when it was refused. */
  api_key?: string;
  key_id: string;
  expires_at?: string | null;
}

/** Whoever has stolen a key tries to keep it, or a successor of it, alive: on two replicas, in races with its owner. */
export const stolenKeys: Attack = {
  name: 'stolen keys',
  async run(scene) {
    const second = await AttackedRelay.start(scene.settings);
    try {
      const stage = new Stage(scene, second.url);
      await expiringKey(scene, stage);
      await revokedKey(scene, stage);
      await longOverlap(scene, stage);
      await races(scene, stage);
    } finally {
      await second.stop();
    }
  },
};

class Stage {
  private made = 0;

  constructor(
    private readonly scene: Scene,
    /** The other replica. */
    readonly second: string,
  ) {}

  agent(): Promise<TestAgent> {
    return register(this.scene, `owner-${this.made++}@acme`);
  }

  admin<Body = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    const { relay } = this.scene;
    return restCall<Body>(relay.url, relay.adminToken, method, path, body);
  }

  async keyOf(agent: TestAgent, terms: object): Promise<{ id: string; holder: TestAgent }> {
    const { body } = await this.admin<Issued>('POST', `/admin/agents/${agent.handle}/keys`, terms);
    return { id: body.key_id, holder: agent.withKey(body.api_key ?? '') };
  }
}

const rotate = (agent: TestAgent, terms: object = {}): Promise<Answer<Issued>> =>
  agent.rest<Issued & Record<string, unknown>>('POST', '/agents/me/keys/rotate', terms);
const lives = async (agent: TestAgent): Promise<boolean> => (await agent.rest('GET', '/agents/me')).status === 200;

async function ofMany(agents: TestAgent[]): Promise<number> {
  const alive = await Promise.all(agents.map(lives));
  return alive.filter(Boolean).length;
}

/** A key that ends makes one that does not. */
async function expiringKey({ ledger }: Scene, stage: Stage): Promise<void> {
  const agent = await stage.agent();
  const end = new Date(Date.now() + 3_600_000);
  const { holder } = await stage.keyOf(agent, { expires_at: end.toISOString() });
  const made = await rotate(holder);
  const expires = made.body.expires_at;
  const inherits = typeof expires === 'string' && Date.parse(expires) <= end.getTime();
  ledger.claim(
    'a key with an end makes none that outlives it',
    inherits,
    `status ${made.status}, ends ${String(expires)}`,
  );
}

/** A key that was revoked here still rotates there, where it is cached a little longer. */
async function revokedKey({ ledger }: Scene, stage: Stage): Promise<void> {
  const agent = await stage.agent();
  const { id, holder } = await stage.keyOf(agent, {});
  const there = holder.at(stage.second);
  await lives(there);
  const { status } = await stage.admin('DELETE', `/admin/agents/${agent.handle}/keys/${id}`);
  const made = await rotate(there);
  const heirs =
    made.body.api_key === undefined ? [] : [agent.withKey(made.body.api_key), there.withKey(made.body.api_key)];
  await pause(ENDED_MS);
  const left = await ofMany([holder, there, ...heirs]);
  ledger.claim(
    'a revoked key leaves no successor on another replica',
    left === 0 && status < 300,
    `revoking gave ${status}, rotating elsewhere ${made.status}, ${left} live`,
  );
}

/** A thief rotates with a long overlap, and makes more keys; then the owner rotates. */
async function longOverlap({ ledger }: Scene, stage: Stage): Promise<void> {
  const owner = await stage.agent();
  const { status } = await rotate(owner, { overlap_seconds: MONTH_SECONDS });
  ledger.claim('an overlap of a month is refused', status === 400, `status ${status}`);
  const stolen: TestAgent[] = [];
  for (let n = 0; n < 3; n++) {
    const { body } = await rotate(owner, { overlap_seconds: DAY_SECONDS, keep_others: true });
    if (body.api_key !== undefined) stolen.push(owner.withKey(body.api_key));
  }
  const seen = await owner.rest<{ keys?: unknown[] }>('GET', '/agents/me/keys');
  const living = await ofMany([owner, ...stolen]);
  const shown = seen.body.keys?.length ?? 0;
  ledger.claim('the owner sees every key', shown === living, `status ${seen.status}, ${shown} seen of ${living}`);
  const own = await rotate(owner, { overlap_seconds: 0 });
  const fresh = own.body.api_key === undefined ? undefined : owner.withKey(own.body.api_key);
  await pause(ENDED_MS);
  const left = await ofMany([owner, ...stolen, owner.at(stage.second), ...stolen.map((key) => key.at(stage.second))]);
  const works = fresh !== undefined && (await lives(fresh));
  ledger.claim(
    'one rotation of the owner ends every other key',
    left === 0 && works,
    `${left} live, the owner’s ${works ? 'works' : 'does not'}`,
  );
}

/** Ends a key, or the agent, while its holder rotates it on the other replica. */
async function races({ ledger, say, ...scene }: Scene, stage: Stage): Promise<void> {
  const survivors: Record<string, number> = {};
  const ends: [name: string, end: (agent: TestAgent, id: string) => Promise<unknown>][] = [
    ['revoking', (agent, id) => stage.admin('DELETE', `/admin/agents/${agent.handle}/keys/${id}`)],
    [
      'rotation by an administrator',
      (agent) => stage.admin('POST', `/admin/agents/${agent.handle}/keys/rotate`, { overlap_seconds: 0 }),
    ],
    [
      'disabling and enabling',
      async (agent) => {
        await stage.admin('DELETE', `/admin/agents/${agent.handle}`);
        await stage.admin('PATCH', `/admin/agents/${agent.handle}`, { status: 'active' });
      },
    ],
  ];
  const count = scaled(RACES, { ...scene, ledger, say }, 6);
  for (const [name, end] of ends) {
    survivors[name] = 0;
    for (let n = 0; n < count; n++) {
      const agent = await stage.agent();
      const { id, holder } = await stage.keyOf(agent, {});
      const there = holder.at(stage.second);
      await lives(there);
      const [, ...made] = await Promise.all([
        pause((n % 5) * 2).then(() => end(agent, id)),
        rotate(there, { overlap_seconds: 60, keep_others: true }),
        rotate(holder, { overlap_seconds: 60, keep_others: true }),
      ]);
      // What was made just before, by a key that was alive, ends with it; what comes later finds it dead.
      const keys = made.flatMap(({ body }) => (body.api_key === undefined ? [] : [agent.withKey(body.api_key)]));
      await pause(ENDED_MS);
      survivors[name] += (await ofMany([holder, there, ...keys])) > 0 ? 1 : 0;
    }
    ledger.claim(
      `no key survives ${name} in a race`,
      survivors[name] === 0,
      `${survivors[name]} of ${count} races left a key alive`,
    );
  }
}
