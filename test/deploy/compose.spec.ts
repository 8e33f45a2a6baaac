import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describeSettings, readSettings } from '../../apps/relay/src/config';
import { parseDockerfile, runOptions } from '../../scripts/rehearsal/dockerfile';
import { CHECKOUT, environmentFile, textOf, yamlOf } from './checkout';

interface Service {
  environment: Record<string, string>;
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
}

const compose = yamlOf('docker/compose.yaml') as { services: Record<'relay' | 'database', Service> };
const { relay, database } = compose.services;
const MAKE_ENV = join(CHECKOUT, 'docker/make-env.sh');

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agentrelay-compose-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** `${NAME:?message}` and `${NAME:-default}`, as compose fills them in. */
function filledIn(environment: Record<string, string>, values: Record<string, string>): Record<string, string> {
  const fill = (text: string): string =>
    text.replace(/\$\{(\w+):(.)([^}]*)\}/g, (_, name: string, kind: string, rest: string) => {
      if (values[name]) return values[name];
      if (kind === '-') return rest;
      throw new Error(rest);
    });
  return Object.fromEntries(Object.entries(environment).map(([name, text]) => [name, fill(text)]));
}

describe('docker/compose.yaml', () => {
  it('has nothing that a linter minds', () => {
    const linter = join(dirname(require.resolve('dclint/package.json')), 'bin/dclint.cjs');
    const { stdout, status } = spawnSync(process.execPath, [linter, 'docker/compose.yaml'], {
      cwd: CHECKOUT,
      encoding: 'utf8',
    });
    expect([stdout.trim(), status]).toEqual(['', 0]);
  });

  it('sets only what the relay knows', () => {
    expect(describeSettings().map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(relay.environment)));
  });

  it('opens ports on this machine alone', () => {
    expect(relay.ports).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:9464:9464']);
    expect(database.ports).toBeUndefined();
  });

  it('gives the relay nothing to write to and no capability', () => {
    expect(relay).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });

  it('does not start without secrets of its own', () => {
    expect(() => filledIn(relay.environment, {})).toThrow('run docker/make-env.sh first');
    expect(() => filledIn(database.environment, {})).toThrow('run docker/make-env.sh first');
  });
});

describe('docker/make-env.sh', () => {
  it('makes a file that only its owner reads, and with which the relay starts in production', () => {
    const file = join(folder, '.env');
    execFileSync('sh', [MAKE_ENV, file], { stdio: 'pipe' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const values = environmentFile(readFileSync(file, 'utf8'));
    const image = runOptions(parseDockerfile(textOf('docker/relay.Dockerfile')).at(-1)!);
    const settings = readSettings({ ...image.environment, ...filledIn(relay.environment, values) });
    expect(settings).toMatchObject({ RELAY_ENV: 'production', RELAY_PUBLIC_URL: 'http://127.0.0.1:8080' });
    expect(settings.DATABASE_URL).toBe(
      `postgres://agentrelay:${filledIn(database.environment, values)['POSTGRES_PASSWORD']}@database:5432/agentrelay`,
    );
  });

  it('makes other secrets each time', () => {
    const secrets = ['one', 'two'].flatMap((name) => {
      execFileSync('sh', [MAKE_ENV, join(folder, name)], { stdio: 'pipe' });
      return readFileSync(join(folder, name), 'utf8').match(/[0-9a-f]{64}/g);
    });
    expect(new Set(secrets).size).toBe(6);
  });

  it('leaves a file that exists as it is', () => {
    const file = join(folder, '.env');
    execFileSync('sh', [MAKE_ENV, file], { stdio: 'pipe' });
    const before = readFileSync(file, 'utf8');
    expect(spawnSync('sh', [MAKE_ENV, file], { stdio: 'pipe' }).status).toBe(1);
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});
