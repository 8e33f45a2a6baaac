import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { useRelay } from '@agentrelay/testing';
import { CHECKOUT, textOf } from './checkout';
import { find, kustomize } from './kustomize';

const relay = useRelay();
const GUIDE = textOf('docs/deploy.md');
const OPERATE = textOf('docs/operate.md');
/** What docker/make-env.sh makes. */
const MADE = /^docker\/(\.env|secrets)/;

/** The code blocks in this language. */
function blocks(markdown: string, language: 'sh' | 'sql'): string[] {
  return [...markdown.matchAll(/^```(\w+)\n(.*?)^```/gms)]
    .filter(([, one]) => one === language)
    .map(([, , block = '']) => block.trim());
}

const commands = blocks(GUIDE, 'sh').flatMap((block) => block.split('\n'));
const startingWith = (...programs: string[]): string[] =>
  commands.filter((command) => programs.some((program) => command.startsWith(`${program} `)));

/** The address, credential and body of a curl command of the guide. */
function requestOf(curl: string): { path: string; token: string; body: object } {
  const [, path = '', token = '', body = ''] =
    /^curl -X POST http:\/\/127\.0\.0\.1:8080(\S+) -H "Authorization: Bearer \$(\w+)" .*-d '(.*)'$/.exec(curl) ?? [];
  return { path, token, body: JSON.parse(body) as object };
}

describe('docs/deploy.md', () => {
  it('has no command whose program no test knows', () => {
    const programs = ['docker build', 'docker compose', 'docker run', 'kubectl', 'curl', 'sh', 'echo'];
    const known = startingWith(...programs, 'RELAY_ADMIN_TOKEN=$(cat');
    expect(known).toEqual(commands);
  });

  it('registers two agents and invites a third, as it says', async () => {
    const answers = [];
    for (const curl of startingWith('curl')) {
      const { path, token, body } = requestOf(curl);
      expect(token).toBe('RELAY_ADMIN_TOKEN');
      answers.push(await relay.admin('POST', path, body));
    }
    expect(answers).toMatchObject([
      { status: 201, body: { handle: 'bob@acme', api_key: expect.any(String) as string } },
      { status: 201, body: { handle: 'frank@acme', api_key: expect.any(String) as string } },
      { status: 201, body: { url: expect.stringContaining('/join#') as string } },
    ]);
  });

  it('makes secrets that the relay takes', () => {
    const made = startingWith('echo').map((command) => execFileSync('sh', ['-c', command], { encoding: 'utf8' }));
    expect(made).toEqual([expect.stringMatching(/^p1:[0-9a-f]{64}\n$/), expect.stringMatching(/^ops:[0-9a-f]{64}\n$/)]);
  });

  it('names files and folders that exist', () => {
    const paths = [...GUIDE.matchAll(/(?<![\w/.-])(docker\/[\w/.-]+\w)/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => !MADE.test(path) && !existsSync(join(CHECKOUT, path)))).toEqual([]);
  });

  it('tags images with this version', () => {
    const { version } = JSON.parse(textOf('package.json')) as { version: string };
    const tags = commands.flatMap((command) => command.match(/agentrelay\/[\w-]+:\S+/g) ?? []);
    expect(new Set(tags)).toEqual(new Set([`agentrelay/relay:${version}`, `agentrelay/mcp-server:${version}`]));
  });

  it('applies everything but the relay before the migration has ended', () => {
    const early = kustomize('docker/k8s/overlays/production').filter(
      ({ metadata }) => metadata.labels?.['app.kubernetes.io/component'] !== 'relay',
    );
    expect(startingWith('kubectl apply')[0]).toContain("-l 'app.kubernetes.io/component!=relay'");
    expect(early.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['Namespace', 'ServiceAccount', 'ConfigMap', 'ExternalSecret', 'NetworkPolicy', 'Job']),
    );
    expect(early.map(({ kind }) => kind)).not.toContain('Deployment');
  });

  it('and docs/operate.md name only objects that exist', () => {
    const manifests = kustomize('docker/k8s/overlays/production');
    const named = [...`${GUIDE}${OPERATE}`.matchAll(/\b(job|deployment)[ /](agentrelay[\w-]*)/g)];
    expect(named.length).toBeGreaterThan(5);
    for (const [, kind, name = ''] of named) {
      expect(find(manifests, kind === 'job' ? 'Job' : 'Deployment', name)).toBeDefined();
    }
    const namespaces = [...`${GUIDE}${OPERATE}`.matchAll(/-n (\S+)/g)].map(([, namespace]) => namespace);
    expect(new Set(namespaces)).toEqual(new Set(['agentrelay']));
  });
});

describe('docs/operate.md', () => {
  it.each(blocks(OPERATE, 'sql'))('asks the database something it answers: %#', async (query) => {
    await expect(relay.database.query(query)).resolves.toEqual(expect.any(Array));
  });
});
