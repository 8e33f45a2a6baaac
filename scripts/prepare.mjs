// Brings the checkout up to date before a command: installs when the lock file changed, builds when a source did.
// Plain Node without dependencies, because it runs before there are any.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = [
  'apps',
  'libs',
  'scripts',
  'test/bench',
  'tsconfig.json',
  'tsconfig.build.json',
  'nest-cli.json',
  'ormconfig.ts',
];

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19))
  fail(`AgentRelay needs Node.js 20.19 or later; this is ${process.version}.`);

install();
if (!process.argv.includes('--install-only')) build();

function install() {
  const wanted = digest([readFileSync(join(root, 'package-lock.json')), `${process.platform}-${process.arch}`]);
  const stamp = join(root, 'node_modules', '.agentrelay-installed');
  if (read(stamp) === wanted) return;
  say('Installing dependencies…');
  const npm = process.env.npm_execpath;
  const [command, args] = npm ? [process.execPath, [npm, 'ci']] : ['npm', ['ci']];
  run(command, [...args, '--no-audit', '--no-fund', '--loglevel=error'], 'Installing failed; the lines above say why.');
  writeFileSync(stamp, wanted);
}

function build() {
  const wanted = digest(
    SOURCES.flatMap(filesUnder).map((file) => `${file} ${statSync(file).size} ${statSync(file).mtimeMs}\n`),
  );
  const stamp = join(root, 'dist', '.agentrelay-built');
  if (read(stamp) === wanted) return;
  say('Building…');
  run(
    process.execPath,
    [join(root, 'node_modules/@nestjs/cli/bin/nest.js'), 'build'],
    'The build failed; the lines above say why.',
  );
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

function filesUnder(name) {
  const path = join(root, name);
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true })
    .map((entry) => join(path, entry))
    .filter((file) => statSync(file).isFile())
    .sort();
}

function run(command, args, complaint) {
  // Our own stdout may belong to a protocol (npm run mcp): everything is told on stderr.
  const { status } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (status !== 0) fail(complaint);
}

function digest(parts) {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}

function read(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function say(text) {
  process.stderr.write(`${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
