import { type Answer, restCall } from '../../../libs/testing/src/test-agent';
import { atMost } from '../../bench/table';
import { AttackedRelay } from '../attacked-relay';
import { type Attack, inParallel, register, type Scene } from '../scene';

const GUESSES = 300;
const FAILED_PER_MINUTE = 60;
const PROBES = 400;
const RACES = 12;

/** Guessed tokens, names that look like something else, and what becomes of those who leave. */
export const administration: Attack = {
  name: 'administration',
  settings: { RELAY_FAILED_AUTH_PER_MINUTE: String(FAILED_PER_MINUTE) },
  async run(scene) {
    const admin = <Body = Record<string, unknown>>(
      method: string,
      path: string,
      body?: object,
    ): Promise<Answer<Body>> => restCall<Body>(scene.relay.url, scene.relay.adminToken, method, path, body);
    await oddHandles(scene, admin);
    await invitesOfTheDisabled(scene, admin);
    await eraseAndEnable(scene, admin);
    await guesses(scene);
    await probes(scene);
    await weakStarts(scene);
  },
};

type Admin = <Body = Record<string, unknown>>(method: string, path: string, body?: object) => Promise<Answer<Body>>;

async function guesses({ relay, ledger }: Scene): Promise<void> {
  const outcomes: Record<string, number> = {};
  await inParallel(Array(GUESSES).keys(), 10, async (n) => {
    const { status } = await restCall(relay.url, `${n}${relay.adminToken}`.slice(0, 40), 'GET', '/admin/agents');
    outcomes[status] = (outcomes[status] ?? 0) + 1;
  });
  const judged = (outcomes['401'] ?? 0) + (outcomes['403'] ?? 0);
  ledger.figure(
    'guesses of an admin token that were looked at',
    judged,
    `${judged} of ${GUESSES} (${JSON.stringify(outcomes)})`,
    atMost(FAILED_PER_MINUTE * 1.5, `about ${FAILED_PER_MINUTE} a minute`),
  );
  const { status } = await restCall(relay.url, relay.adminToken, 'GET', '/admin/agents');
  ledger.claim('the right token works after wrong ones', status === 200, `status ${status}`);
}

async function oddHandles({ ledger }: Scene, admin: Admin): Promise<void> {
  const taken: string[] = [];
  for (const handle of [
    '--json@acme',
    '-x@acme',
    'system',
    'system@acme',
    '__proto__',
    '__proto__@acme',
    'constructor@acme',
    'a\u0007b@acme',
    '@acme',
    'a@',
    'a@@b',
    '',
    'me',
  ]) {
    const { status } = await admin('POST', '/admin/agents', { handle, display_name: 'x' });
    if (status < 400 && !['constructor@acme', 'system@acme'].includes(handle)) taken.push(`${handle} ${status}`);
  }
  ledger.claim('handles that look like something else are refused', taken.length === 0, taken.join(', ') || 'all');
}

async function invitesOfTheDisabled(scene: Scene, admin: Admin): Promise<void> {
  const inviter = await register(scene, 'inviter@acme');
  const { body } = await admin<{ url?: string; jti?: string }>('POST', '/admin/invites', {
    handle: 'guest@acme',
    inviter_handle: inviter.handle,
  });
  const token = /#v1\.[^.]+\.(.+)$/.exec(body.url ?? '')?.[1] ?? '';
  await admin('DELETE', `/admin/agents/${inviter.handle}`);
  const path = `/invites/${body.jti ?? ''}/redeem`;
  const { status } = await restCall(scene.relay.url, undefined, 'POST', path, { token });
  scene.ledger.claim(
    'an invite ends when its inviter is disabled',
    status === 401 || status === 410,
    `status ${status}`,
  );
}

async function eraseAndEnable(scene: Scene, admin: Admin): Promise<void> {
  let both = 0;
  for (let n = 0; n < RACES; n++) {
    const agent = await register(scene, `leaver-${n}@acme`);
    await admin('DELETE', `/admin/agents/${agent.handle}`);
    const [erased, enabled] = await Promise.all([
      admin('POST', `/admin/agents/${agent.handle}/erase`),
      admin('PATCH', `/admin/agents/${agent.handle}`, { status: 'active' }),
    ]);
    if (erased.status < 300 && enabled.status < 300) {
      // Both may be told so when one came after the other; then nobody by that name is left.
      const { status } = await admin('GET', `/admin/agents/${agent.handle}`);
      if (status === 200) both++;
    }
  }
  scene.ledger.claim('erasing and enabling do not both win', both === 0, `${both} of ${RACES} races`);
}

async function probes({ relay, ledger }: Scene): Promise<void> {
  const before = relay.bytesRead;
  const since = performance.now();
  await inParallel(Array(PROBES).keys(), 8, async () => {
    await (await fetch(`${relay.url}/readyz`)).arrayBuffer();
  });
  const ms = performance.now() - since;
  const each = (relay.bytesRead - before) / PROBES;
  // An answer of the database is read once for many probes: what is left is the probe itself.
  ledger.figure(
    'bytes read for a probe of readiness',
    each,
    `${Math.round(each)} in ${Math.round(ms)} ms`,
    atMost(400, '400: the request alone'),
  );
}

/** A production relay with these settings must not start. */
async function weakStarts({ settings, ledger }: Scene): Promise<void> {
  const WEAK: [what: string, change: Record<string, string>][] = [
    ['a pepper of one character', { RELAY_KEY_PEPPERS: `p1:${'a'.repeat(40)}` }],
    ['a pepper of repeated words', { RELAY_KEY_PEPPERS: `p1:${'secret'.repeat(7)}` }],
    ['a token of digits only', { RELAY_ADMIN_TOKEN: '1234567890123456789012345678901234567890' }],
    ['a token that is the pepper too', { RELAY_ADMIN_TOKEN: (settings['RELAY_KEY_PEPPERS'] ?? '').slice(3) }],
    [
      'two administrators of one name',
      { RELAY_ADMIN_TOKENS: 'ann:k9Zf2Lw7Qm4Xv8Tr1Bn6Hs3Jd5Gc0Ypq,ann:Qm4Xv8Tr1Bn6Hs3Jd5Gc0Ypk9Zf2Lw7x' },
    ],
    ['a public address without TLS', { RELAY_PUBLIC_URL: 'http://relay.acme.dev' }],
  ];
  for (const [what, change] of WEAK) {
    const relay = await AttackedRelay.start({ ...settings, ...change }).catch(() => undefined);
    await relay?.stop();
    ledger.claim(
      `production does not start with ${what}`,
      relay === undefined,
      relay === undefined ? 'refused' : 'it started',
    );
  }
}
