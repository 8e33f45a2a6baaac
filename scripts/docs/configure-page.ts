import { describeSettings } from '../../apps/relay/src/config';
import { table } from './table';

/** `docs/configure.md`: every setting that the relay reads. */
export function configurePage(): string {
  const rows = describeSettings().map(({ name, meaning, byDefault, secret }) => [
    `\`${name}\``,
    byDefault === undefined ? '' : `\`${byDefault}\``,
    `${meaning}${secret ? ' Secret: may be given as a file, by the name with `_FILE`.' : ''}`,
  ]);
  return `# Settings

Generated from the code by \`npm run docs\`; \`npm run check\` fails when it is out of date.

The relay reads its settings from the environment, once, at its start. When some are wrong it names all of them and does not
start. An empty variable counts as unset. Rates are counted on each replica by itself, as are streams and waits; everything
else is shared through the database.

${table(['Setting', 'Default', 'Meaning'], rows)}
`;
}
