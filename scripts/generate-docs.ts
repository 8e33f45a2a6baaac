import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '@agentrelay/embedded-postgres';
import { bootRelay } from '../apps/relay/src/boot';
import { cliPage } from './docs/cli-page';
import { configurePage } from './docs/configure-page';
import { embedSources } from './docs/embed-sources';
import { mcpPage } from './docs/mcp-page';
import { wirePage } from './docs/wire-page';

const ROOT = resolve(__dirname, '../..');
const DOCS = join(ROOT, 'docs');

/** `npm run docs` writes the generated pages; with `--check` it fails when one is out of date. */
async function main(): Promise<number> {
  const pages = await render();
  const stale = Object.entries(pages).filter(([name, content]) => read(name) !== content);
  if (process.argv.includes('--check')) {
    for (const [name] of stale) process.stderr.write(`docs/${name} is out of date; run: npm run docs\n`);
    return stale.length === 0 ? 0 : 1;
  }
  mkdirSync(DOCS, { recursive: true });
  for (const [name, content] of stale) writeFileSync(join(DOCS, name), content);
  return 0;
}

/** The pages are made from a wired relay, because that knows every method and route there is. */
async function render(): Promise<Record<string, string>> {
  const directory = mkdtempSync(join(tmpdir(), 'agentrelay-docs-'));
  const database = await startEmbeddedPostgres({ directory, durable: false });
  try {
    const { app } = await bootRelay({
      RELAY_ENV: 'development',
      PORT: '0',
      LOG_LEVEL: 'silent',
      DATABASE_URL: database.url,
      RELAY_KEY_PEPPERS: 'docs:only-used-while-pages-are-generated',
    });
    const pages = {
      'wire.md': wirePage(app),
      'configure.md': configurePage(),
      'extend.md': embedSources(read('extend.md') ?? '', ROOT),
      'cli.md': cliPage(),
      'mcp.md': await mcpPage(),
    };
    await app.close();
    return pages;
  } finally {
    await database.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

function read(name: string): string | undefined {
  try {
    return readFileSync(join(DOCS, name), 'utf8');
  } catch {
    return undefined;
  }
}

main().then(
  (code) => process.exit(code),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
