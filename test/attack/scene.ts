import { registerAgent } from '../../libs/testing/src/register-agent';
import type { TestAgent } from '../../libs/testing/src/test-agent';
import { restCall } from '../../libs/testing/src/test-agent';
import type { Random } from '../chaos/random';
import type { AttackedRelay } from './attacked-relay';
import type { Bystander } from './bystander';
import type { Ledger } from './evidence';
import type { Route } from './routes';

/** What an attack works with. */
export interface Scene {
  relay: AttackedRelay;
  databaseUrl: string;
  /** The settings that the relay was started with. */
  settings: Record<string, string>;
  routes: readonly Route[];
  ledger: Ledger;
  random: Random;
  seed: number;
  /** Counts are multiplied by this: 1 is the whole attack. */
  scale: number;
  /** Absent where nothing that depends on speed is measured. */
  bystander: Bystander | undefined;
  say: (line: string) => void;
}

/** One way to bring the relay down. */
export interface Attack {
  /** A short name, to choose it by. */
  name: string;
  /** Settings other than those of every attack. */
  settings?: Record<string, string>;
  run(scene: Scene): Promise<void>;
}

/** A count of the whole attack, at the scale of this run. */
export function scaled(count: number, { scale }: Scene, least = 1): number {
  return Math.max(least, Math.round(count * scale));
}

export function register({ relay }: Scene, handle: string): Promise<TestAgent> {
  return registerAgent(relay.url, relay.adminToken, handle);
}

/** The same agent with a key in the hand of a person. */
export async function humanOf({ relay }: Scene, agent: TestAgent): Promise<TestAgent> {
  const terms = { principal: 'human', label: 'laptop' };
  const path = `/admin/agents/${agent.handle}/keys`;
  const { body } = await restCall<{ api_key: string }>(relay.url, relay.adminToken, 'POST', path, terms);
  return agent.withKey(body.api_key);
}

/** Whether two agents registered now can hand work over. */
export async function servesAHandoff(relay: AttackedRelay): Promise<boolean> {
  const signal = AbortSignal.timeout(20_000);
  const served = async (): Promise<boolean> => {
    const fresh = (name: string): Promise<TestAgent> =>
      registerAgent(relay.url, relay.adminToken, `${name}-${Date.now()}@acme`);
    const [sender, recipient] = [await fresh('sender'), await fresh('recipient')];
    const { task_id } = await sender.send(recipient.handle);
    await recipient.accept(task_id);
    return (await recipient.complete(task_id)).status.state === 'completed';
  };
  const late = new Promise<false>((resolve) => signal.addEventListener('abort', () => resolve(false)));
  return Promise.race([served().catch(() => false), late]);
}

/** Does the work for each item, several at once. */
export async function inParallel<Item>(
  items: Iterable<Item>,
  workers: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const source = items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    for (let next = source.next(); next.done !== true; next = source.next()) await work(next.value);
  };
  await Promise.all(Array.from({ length: workers }, worker));
}
