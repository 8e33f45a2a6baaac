import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of this relay, as the nearest package.json states it: from the sources and from the build alike. */
export const VERSION = versionAbove(__dirname);

function versionAbove(folder: string): string {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return versionAbove(dirname(folder));
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
