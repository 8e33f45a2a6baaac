import { homedir } from 'node:os';
import { dirname } from 'node:path';
import type { Surroundings } from './client';

/** Those of this process. */
export function surroundings(): Surroundings {
  return { userHome: homedir(), environment: process.env, folder: process.cwd() };
}

/** A folder and all above it, innermost first: where clients look for what a project says. */
export function foldersUpFrom(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpFrom(above)];
}
