import type { Random } from '../chaos/random';
import { AttackedRelay, productionSettings } from './attacked-relay';
import type { Bystander } from './bystander';
import { type Evidence, Ledger } from './evidence';
import type { Route } from './routes';
import { type Attack, type Scene, servesAHandoff } from './scene';

/** How an attack is carried out. */
export interface Circumstances {
  /** An empty database of its own. */
  databaseUrl: string;
  routes: readonly Route[];
  random: Random;
  seed: number;
  scale: number;
  bystander: Bystander | undefined;
  say: (line: string) => void;
}

/** Carries one attack out against a relay of its own, and gives what it has shown. */
export async function carryOut(attack: Attack, circumstances: Circumstances): Promise<Evidence> {
  const settings = { ...productionSettings(circumstances.databaseUrl), ...attack.settings };
  const relay = await AttackedRelay.start(settings);
  const ledger = new Ledger();
  const scene: Scene = { ...circumstances, relay, settings, ledger };
  const watch = setInterval(() => relay.notePeak(), 100);
  let failure: string | undefined;
  try {
    await attack.run(scene);
  } catch (error) {
    failure = (error instanceof Error ? error.message : String(error)).slice(0, 300);
    circumstances.say(error instanceof Error ? (error.stack ?? '') : '');
  }
  clearInterval(watch);
  // A process that is about to end may need a moment for it.
  if (failure !== undefined) await new Promise((resolve) => setTimeout(resolve, 1_000));
  const evidence: Evidence = {
    attack: attack.name,
    outcomes: ledger.outcomes,
    faults: ledger.faults,
    figures: ledger.figures,
    claims: ledger.claims,
    endedBy: relay.endedBy,
    failure,
    servesAfter: relay.isRunning && (await servesAHandoff(relay)),
    peakMiB: relay.peakMiB,
  };
  await relay.stop();
  return evidence;
}
