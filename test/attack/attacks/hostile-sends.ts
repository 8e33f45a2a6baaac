import { atMost, spread } from '../../bench/table';
import { SHAPES } from '../bodies';
import { handoffOf, rpcShot } from '../calls';
import { type Attack, register, type Scene, scaled } from '../scene';
import { strike } from '../strike';
import type { Watched } from '../bystander';

const BYTES = 1_048_576;
const PER_SECOND = 6;
const MS = 5_000;
const ROUNDS = 3;
const TWICE = 2;
/** Below this an answer is too quick to be compared with. */
const LEAST_MS = 5;

/** Whoever has a key sends what is refused, as often as others send what is accepted. */
export const hostileSends: Attack = {
  name: 'hostile sends beside honest ones',
  async run(scene) {
    const { bystander } = scene;
    const [sender, recipient, other] = [
      await register(scene, 'sender-h@acme'),
      await register(scene, 'recipient-h@acme'),
      await register(scene, 'other-h@acme'),
    ];
    if (bystander === undefined) return;
    const honest = Buffer.from(handoffOf(recipient.handle, BYTES));
    const hostile = Object.entries(SHAPES).map(([name, make]) => {
      const text = `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"recipient":"${recipient.handle}","zz":${make(BYTES - 200)}}}`;
      return { name, body: Buffer.from(text) };
    });
    const watch = (bodies: { name: string; body: Buffer }[]): Promise<Watched> =>
      bystander.during({ url: scene.relay.url, apiKey: other.apiKey }, () => pace(scene, sender.apiKey, bodies));
    const [honestly, hostilely]: Watched[][] = [[], []];
    for (let round = 0; round < scaled(ROUNDS, scene); round++) {
      honestly!.push(await watch([{ name: 'an honest handoff', body: honest }]));
      hostilely!.push(await watch(hostile));
    }
    const [base, beside] = [honestly!, hostilely!].map((all) => spread(all.map(({ p95 }) => p95)).middle);
    scene.ledger.speed(
      'another agent’s list meanwhile, p95',
      beside! / Math.max(base!, LEAST_MS),
      `${beside!.toFixed(1)} ms, beside honest sends ${base!.toFixed(1)} ms`,
      atMost(TWICE, `${TWICE} × beside honest sends`),
    );
    const refused = hostilely!.reduce((sum, one) => sum + one.refused, 0);
    scene.ledger.claim('another agent is never refused', refused === 0, `${refused} refused`);
  },
};

/** Sends so many bodies a second, each on its time whatever became of those before. */
async function pace({ relay, ledger }: Scene, apiKey: string, bodies: { name: string; body: Buffer }[]): Promise<void> {
  const sent: Promise<void>[] = [];
  for (let n = 0; n < (PER_SECOND * MS) / 1_000; n++) {
    const { name, body } = bodies[n % bodies.length]!;
    sent.push(
      strike(relay.port, rpcShot(apiKey, body)).then((struck) =>
        ledger.take(struck, { mayBeBusy: true, mayClose: true }, `${name} of 1 MiB`),
      ),
    );
    await new Promise((resolve) => setTimeout(resolve, 1_000 / PER_SECOND));
  }
  await Promise.all(sent);
}
