import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SETTING_NAMES } from './settings';

const READERS = ['relay-config.ts', 'environment.ts', '../boot.ts', '../raise-epoch.ts', '../migrate.ts'].map((file) =>
  readFileSync(join(__dirname, file), 'utf8'),
);

describe('a setting', () => {
  it.each(SETTING_NAMES.filter((name) => !name.startsWith('RELAY_LIMIT_')))('%s has a reader', (name) => {
    expect(READERS.some((source) => source.includes(`settings.${name}`))).toBe(true);
  });
});
