import { homedir } from 'node:os';
import type { ClientName } from '../installers/client';
import { connectClients, type Connected } from '../connect-clients';
import type { Output } from '../output';

interface Options {
  client?: ClientName[];
  dryRun?: boolean;
  uninstall?: boolean;
  rules: boolean;
  force?: boolean;
}

/** Connects coding agents, or disconnects them, showing each change. */
export function run(out: Output, options: Options): void {
  const { dryRun = false, uninstall = false, rules, force = false } = options;
  const connected = connectClients({ names: options.client, userHome: homedir(), dryRun, uninstall, rules, force });
  out.result({ dry_run: dryRun, clients: connected.map(wireClient) }, [
    ...connected.flatMap((client) => clientLines(out, client)),
    nextStep(options),
  ]);
}

function wireClient({ client, changes }: Connected): object {
  return {
    client: client.name,
    changed: changes.length > 0,
    files: changes.map(({ path, diff, backup }) => ({ path, diff, ...(backup !== undefined && { backup }) })),
  };
}

function clientLines(out: Output, { client, changes }: Connected): string[] {
  if (changes.length === 0) return [`${client.title}: nothing to change.`];
  return changes.flatMap(({ path, diff, backup }) => [
    `${client.title}: ${out.paint('bold', path)}`,
    ...diff.map((line) => out.paint(line.startsWith('+') ? 'green' : 'red', line)),
    ...(backup === undefined ? [] : [`The file as it was: ${backup}`]),
  ]);
}

function nextStep({ dryRun, uninstall }: Options): string {
  if (dryRun === true) return 'Nothing was written. Do it: the same command without --dry-run';
  if (uninstall === true) return 'Restart the coding agent for it to take effect.';
  return 'Restart the coding agent, then ask it to check its inbox. Check: agentrelay doctor';
}
