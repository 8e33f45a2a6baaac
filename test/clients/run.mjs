// `npm run test:clients`: installs the coding agents, then runs the tests where there is no network but loopback.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { binFolders, installPrograms } from './programs.mjs';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
// Root makes the namespace as root; others need user namespaces, and keep who they are.
const NAMESPACE = process.getuid?.() === 0 ? ['--net'] : ['--user', '--map-current-user', '--keep-caps', '--net'];
const isolated = (command, args) =>
  spawnSync('unshare', [...NAMESPACE, 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', command, ...args], {
    cwd: root,
    stdio: 'inherit',
  });

if (isolated('true', []).status !== 0) {
  process.stderr.write('No network namespace can be made here (unshare and ip, as root or with user namespaces).\n');
  if (process.env.CI === 'true') process.exit(1);
  process.stdout.write('0 passed, 0 failed, 1 skipped\n');
  process.exit(0);
}
process.umask(0o022);
installPrograms();
process.env.AGENTRELAY_CLIENTS_PATH = binFolders().join(':');
const jest = join(root, 'node_modules/jest/bin/jest.js');
const options = ['--config', 'jest.commands.config.js', 'test/clients', ...process.argv.slice(2)];
process.exit(isolated(process.execPath, [jest, ...options]).status ?? 1);
