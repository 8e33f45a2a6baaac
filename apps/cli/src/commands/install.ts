import { type ClientName, surroundings } from '../installers';
import { connectClients, type Connected } from '../connect-clients';
import { changeLines, wireConnected } from '../connected-lines';
import type { Output } from '../output';

interface Options {
  client?: ClientName[];
  dryRun?: boolean;
  uninstall?: boolean;
  rules: boolean;
  force?: boolean;
}

/** Connects coding agents, or disconnects them, showing each change before it is made. */
export function run(out: Output, options: Options): void {
  const { dryRun = false, uninstall = false, rules, force = false } = options;
  const { connected, trouble } = connectClients({
    names: options.client,
    where: surroundings(),
    dryRun,
    uninstall,
    rules,
    force,
    announce: (planned) => out.progress(planned.flatMap((one) => changeLines(out, one))),
  });
  out.result({ dry_run: dryRun, clients: connected.map(wireConnected) }, [
    ...(dryRun ? connected.flatMap((one) => changeLines(out, one)) : connected.flatMap(doneLines)),
    ...(trouble === undefined ? [nextStep(options)] : []),
  ]);
  if (trouble !== undefined) throw trouble;
}

function doneLines({ changes }: Connected): string[] {
  return changes.flatMap(({ path, backup }) => [
    `Written: ${path}`,
    ...(backup === undefined ? [] : [`The file as it was: ${backup}`]),
  ]);
}

function nextStep({ dryRun, uninstall }: Options): string {
  if (dryRun === true) return 'Nothing was written. Do it: the same command without --dry-run';
  if (uninstall === true) return 'Restart the coding agent for it to take effect.';
  return 'Restart the coding agent, then ask it to check its inbox. Check: agentrelay doctor';
}
