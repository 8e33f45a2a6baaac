import { join } from 'node:path';
import { readTextFile, writeFileAtomically } from './private-file';
import { WorkstationFileError } from './workstation-file-error';

const FILE_NAME = 'settings.json';

/**
 * `settings.json`: what programs of this workstation remember besides `config.json`, a member a purpose.
 * @throws WorkstationFileError when it is not a JSON object
 */
export function readSettings(home: string): Record<string, unknown> {
  const path = join(home, FILE_NAME);
  const text = readTextFile(path);
  if (text === undefined) return {};
  try {
    const settings: unknown = JSON.parse(text);
    if (typeof settings === 'object' && settings !== null && !Array.isArray(settings)) return { ...settings };
  } catch {
    // Told below.
  }
  throw new WorkstationFileError(path, 'is not a JSON object; mend it or move it away.');
}

/** @throws WorkstationFileError when it cannot be written */
export function writeSettings(home: string, settings: Readonly<Record<string, unknown>>): void {
  writeFileAtomically(join(home, FILE_NAME), `${JSON.stringify(settings, null, 2)}\n`);
}
