import type { Connected } from './connect-clients';
import type { Output } from './output';

/** What changes in a client's files, as people read it. */
export function changeLines(out: Output, { client, changes }: Connected): string[] {
  if (changes.length === 0) return [`${client.title}: nothing to change.`];
  return changes.flatMap(({ path, diff }) => [
    `${client.title}: ${out.paint('bold', path)}`,
    ...diff.map((line) => out.paint(line.startsWith('+') ? 'green' : 'red', line)),
  ]);
}

export function wireConnected({ client, changes }: Connected): object {
  return {
    client: client.name,
    changed: changes.length > 0,
    files: changes.map(({ path, diff, backup }) => ({ path, diff, ...(backup !== undefined && { backup }) })),
  };
}
