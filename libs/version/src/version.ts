import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The version of the package that this program belongs to: of the checkout, of its build, or of the packed programs. */
export function version(): string {
  return versionAbove(__dirname);
}

function versionAbove(folder: string): string {
  const manifest = join(folder, 'package.json');
  if (!existsSync(manifest)) return versionAbove(dirname(folder));
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
