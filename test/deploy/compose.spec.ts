import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describeSettings, readSettings } from '../../apps/relay/src/config';
import { parseDockerfile, runOptions } from '../../scripts/image-smoke-test/dockerfile';
import { CHECKOUT, environmentFile, textOf, yamlOf } from './checkout';

interface Service {
  environment: Record<string, string>;
  secrets: string[];
  ports?: string[];
  read_only?: boolean;
  cap_drop?: string[];
}

const compose = yamlOf('docker/compose.yaml') as {
  services: Record<'relay' | 'database', Service>;
  secrets: Record<string, { file: string }>;
};
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

  it('sets only what the relay knows, and secrets as files only', () => {
    const known = describeSettings().map(({ name, secret }) => (secret ? `${name}_FILE` : name));
    expect(known).toEqual(expect.arrayContaining(Object.keys(relay.environment)));
  });

  it('gives each program its own secrets alone', () => {
    const read = (service: Service): string[] =>
      Object.entries(service.environment).flatMap(([name, path]) => (name.endsWith('_FILE') ? [path] : []));
    for (const service of [relay, database]) {
      expect(read(service).sort()).toEqual(service.secrets.map((name) => `/run/secrets/${name}`).sort());
    }
    expect([...relay.secrets, ...database.secrets].sort()).toEqual(Object.keys(compose.secrets));
  });

  it('opens ports on this machine alone', () => {
    expect(relay.ports).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:9464:9464']);
    expect(database.ports).toBeUndefined();
  });

  it('gives the relay nothing to write to and no capability', () => {
    expect(relay).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
  });

  it('does not start before its settings are made', () => {
    expect(() => filledIn(relay.environment, {})).toThrow('run docker/make-env.sh first');
  });
});

describe('docker/make-env.sh', () => {
  const make = (): { status: number | null } => spawnSync('sh', [MAKE_ENV, join(folder, '.env')], { stdio: 'pipe' });
  const secret = (name: string): string => readFileSync(join(folder, compose.secrets[name]!.file), 'utf8');
  /** What the relay reads in its container: compose mounts each secret where its variable points. */
  const settings = (): ReturnType<typeof readSettings> => {
    const values = environmentFile(readFileSync(join(folder, '.env'), 'utf8'));
    const image = runOptions(parseDockerfile(textOf('docker/relay.Dockerfile')).at(-1)!);
    const given = Object.entries(filledIn(relay.environment, values)).map(([name, value]) => [
      name,
      value.replace('/run/secrets/', `${folder}/secrets/`),
    ]);
    return readSettings({ ...image.environment, ...(Object.fromEntries(given) as Record<string, string>) });
  };

  it('makes files that the containers read and no other account of the machine, and the relay starts in production', () => {
    expect(make().status).toBe(0);
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    expect(statSync(join(folder, 'secrets')).mode & 0o777).toBe(0o700);
    for (const { file } of Object.values(compose.secrets))
      expect(statSync(join(folder, file)).mode & 0o777).toBe(0o444);
    expect(settings()).toMatchObject({
      RELAY_ENV: 'production',
      RELAY_PUBLIC_URL: 'http://127.0.0.1:8080',
      DATABASE_URL: `postgres://agentrelay:${secret('database_password').trim()}@database:5432/agentrelay`,
      RELAY_ADMIN_TOKEN: secret('admin_token').trim(),
    });
  });

  it('makes other secrets each time', () => {
    const secrets = ['one', 'two'].flatMap((name) => {
      mkdirSync(join(folder, name));
      execFileSync('sh', [MAKE_ENV, join(folder, name, '.env')], { stdio: 'pipe' });
      return ['database_password', 'admin_token', 'key_peppers'].map((file) =>
        readFileSync(join(folder, name, 'secrets', file), 'utf8'),
      );
    });
    expect(new Set(secrets).size).toBe(6);
    for (const one of secrets) expect(one).toMatch(/^(p1:)?[0-9a-f]{64}\n$/);
  });

  it('moves the secrets of an earlier version into files and keeps its other settings', () => {
    const kept = 'RELAY_PUBLIC_URL=https://relay.acme.test\n# ours\nRELAY_TEAM=acme\n';
    const earlier = 'POSTGRES_PASSWORD=old-password\nRELAY_ADMIN_TOKEN=old-token\nRELAY_KEY_PEPPERS=p1:old-pepper\n';
    writeFileSync(join(folder, '.env'), `${earlier}${kept}`);
    expect(make().status).toBe(0);
    expect(readFileSync(join(folder, '.env'), 'utf8')).toBe(kept);
    expect(['database_url', 'admin_token', 'key_peppers'].map(secret)).toEqual([
      'postgres://agentrelay:old-password@database:5432/agentrelay\n',
      'old-token\n',
      'p1:old-pepper\n',
    ]);
  });

  it('leaves secrets that exist as they are', () => {
    make();
    const before = secret('key_peppers');
    expect(make().status).toBe(1);
    expect(secret('key_peppers')).toBe(before);
  });
});
