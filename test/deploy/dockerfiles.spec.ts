import { run } from 'dockerfilelint';
import { BuildContext } from '../../scripts/image-smoke-test/build-context';
import { assignments, parseDockerfile, runOptions } from '../../scripts/image-smoke-test/dockerfile';
import { describeSettings } from '../../apps/relay/src/config';
import { CHECKOUT, textOf } from './checkout';

/** Variables of the image that the table of settings does not have. */
const NOT_SETTINGS = ['NODE_ENV'];

const DOCKERFILES = ['docker/relay.Dockerfile', 'docker/mcp-server.Dockerfile'];

describe.each(DOCKERFILES)('%s', (path) => {
  const stages = parseDockerfile(textOf(path));
  const last = stages.at(-1)!;

  it('has nothing that a linter minds', () => {
    expect(run(CHECKOUT, textOf(path))).toEqual([]);
  });

  it('begins every stage from one base, pinned by its tag', () => {
    expect(new Set(stages.map(({ base }) => base))).toEqual(new Set(['node:24-bookworm-slim']));
  });

  it('installs no optional dependency, and for running no development dependency', () => {
    const installs = stages.flatMap(({ name, instructions }) =>
      instructions.filter(({ rest }) => rest.startsWith('npm ')).map(({ rest }) => [name, rest]),
    );
    expect(installs).toEqual([
      ['build', 'npm ci --omit=optional --ignore-scripts --loglevel=error'],
      ['dependencies', 'npm ci --omit=dev --omit=optional --ignore-scripts --loglevel=error'],
    ]);
  });

  it('runs as a user without a name, ends on SIGTERM, and says what it is', () => {
    expect(last.instructions).toEqual(
      expect.arrayContaining([
        { name: 'USER', rest: '10001:10001' },
        { name: 'STOPSIGNAL', rest: 'SIGTERM' },
      ]),
    );
    const labels = assignments(last.instructions.find(({ name }) => name === 'LABEL')!.rest);
    expect(Object.keys(labels)).toEqual(
      ['title', 'description', 'licenses', 'version', 'revision'].map((name) => `org.opencontainers.image.${name}`),
    );
  });
});

describe('docker/relay.Dockerfile', () => {
  it('listens for everybody in the container, on the ports it exposes', () => {
    const { instructions } = parseDockerfile(textOf('docker/relay.Dockerfile')).at(-1)!;
    const { environment, healthCheck } = runOptions({ name: undefined, base: '', instructions });
    expect(environment).toEqual({
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT: '8080',
      RELAY_METRICS_PORT: '9464',
    });
    expect(instructions).toContainEqual({ name: 'EXPOSE', rest: '8080 9464' });
    expect(healthCheck?.join(' ')).toContain('/readyz');
    expect(describeSettings().map(({ name }) => name)).toEqual(
      expect.arrayContaining(Object.keys(environment).filter((name) => !NOT_SETTINGS.includes(name))),
    );
  });
});

describe('the build context', () => {
  const context = new BuildContext(CHECKOUT);

  it.each(['package-lock.json', 'apps/relay/src/main.ts', 'libs/protocol/src/index.ts', 'tsconfig.build.json'])(
    'has %s',
    (path) => {
      expect(context.has(path)).toBe(true);
    },
  );

  it.each([
    '.git/config',
    '.agentrelay/secrets.json',
    'docker/.env',
    'docker/secrets/admin_token',
    'node_modules/pg/package.json',
    'dist/apps/relay/src/main.js',
    'test/setup/global-setup.ts',
    'libs/testing/src/index.ts',
    'libs/protocol/src/text.spec.ts',
  ])('has no %s', (path) => {
    expect(context.has(path)).toBe(false);
  });
});
