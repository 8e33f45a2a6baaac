import type { TestAgent } from '../../../libs/testing/src/test-agent';
import { atMost } from '../../bench/table';
import { rpcShot, rpcText } from '../calls';
import { costsOf } from '../cost';
import { type Attack, register, type Scene, scaled } from '../scene';
import { strike } from '../strike';

const TEAM = 300;
const COUNT = 20;
const ROUNDS = 3;
/** A read that is refused or finds nothing may cost this much of a small accepted call. */
const TIMES = 5;

const LONG = {
  'a family of emoji': '👩‍👩‍👧‍👦'.repeat(3_000),
  'combining marks': `e${'\u0301'.repeat(9_000)}`,
  'zero-width joiners': '\u200d'.repeat(9_000),
  spaces: ' '.repeat(9_000),
  'at signs': '@'.repeat(9_000),
  dots: '.'.repeat(9_000),
  'percent signs': '%'.repeat(240),
  backslashes: '\\'.repeat(240),
  'a time of many digits': `2026-05-01T09:14:32.${'9'.repeat(9_000)}Z`,
  'almost a UUID': `${'0'.repeat(8)}-${'0-'.repeat(4_000)}`,
  'a name like all others': `${'card-'.repeat(20)}@acme`,
  'Arabic with bidi controls': '\u202e\u0627'.repeat(4_000),
} as const;

/** Texts that make careless validators and searches slow. */
export const texts: Attack = {
  name: 'texts that are slow to check',
  async run(scene) {
    const agent = await register(scene, 'texter@acme');
    for (let n = 0; n < scaled(TEAM, scene, 50); n++) await register(scene, `card-card-card-${n}@acme`);
    const small = {
      name: 'accepted',
      send: () => strike(scene.relay.port, rpcShot(agent.apiKey, rpcText('tasks/list', {}))),
    };
    const series = [...calls(scene, agent)];
    const costs = await costsOf(scene, [small, ...series], COUNT, scaled(ROUNDS, scene, 2));
    const base = costs.get('accepted')!;
    const worst = [...costs].filter(([name]) => name !== 'accepted').sort(([, a], [, b]) => b - a);
    for (const [name, cost] of worst.slice(0, 5)) scene.say(`  ${name}: ${cost.toFixed(2)} ms CPU`);
    const [name, cost] = worst[0]!;
    scene.ledger.speed(
      `the dearest of ${series.length}`,
      cost / base,
      `${cost.toFixed(2)} ms CPU (${name}), a small accepted call ${base.toFixed(2)} ms`,
      atMost(TIMES, `${TIMES} × a small accepted call`),
    );
  },
};

function* calls(
  { relay, ledger }: Scene,
  { apiKey }: TestAgent,
): Generator<{ name: string; send: () => Promise<void> }> {
  for (const [what, text] of Object.entries(LONG)) {
    const message = { role: 'user', parts: [{ type: 'text', text: 'x' }] };
    const asked: [name: string, method: string, params: object][] = [
      ['recipient', 'message/send', { recipient: text, message }],
      ['a recipient as long as a name may be', 'message/send', { recipient: text.slice(0, 110), message }],
      ['message', 'message/send', { recipient: 'nobody@acme', message: { role: 'user', parts: [{ type: 'text', text }] } }],
      ['filter by text', 'tasks/list', { filter: { text: text.slice(0, 240) } }],
      ['counterpart', 'tasks/list', { filter: { counterpart: text } }],
      ['since', 'tasks/list', { filter: { since: text } }],
      ['cursor', 'tasks/list', { page: { cursor: text.slice(0, 200) } }],
      ['task', 'tasks/get', { task_id: text }],
      ['skill', 'agents/list', { skill: text.slice(0, 60), repo: text.slice(0, 200) }],
      ['path', 'message/send', { recipient: 'nobody@acme', message, artifacts: [{ type: 'file_ref', path: text, lines: [1, 2] }] }],
      ['link', 'message/send', { recipient: 'nobody@acme', message, artifacts: [{ type: 'link', url: `https://a/${text}` }] }],
    ]; // prettier-ignore
    for (const [where, method, params] of asked) {
      const body = rpcText(method, params);
      const name = `${what} as ${where}`;
      yield { name, send: async () => ledger.take(await strike(relay.port, rpcShot(apiKey, body)), {}, name) };
    }
  }
}
