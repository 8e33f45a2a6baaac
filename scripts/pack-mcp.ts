import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build, type Metafile, type Plugin } from 'esbuild';

const ROOT = resolve(__dirname, '../..');
const PACKAGE = join(ROOT, 'dist/package');

/** The programs of the package: what npm links, and the compiled file that each is bundled from. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'agentrelay-mcp': 'dist/apps/mcp-server/src/main.js',
  agentrelay: 'dist/apps/cli/src/main.js',
};

/** Files beside them that a program loads only where it needs them, so that no start has to parse them. */
const PARTS: Readonly<Record<string, string>> = {
  'proxied-fetch': 'dist/libs/relay-client/src/proxied-fetch.js',
};

/** What Nest looks for and does without: transports, validators and an HTTP platform that these programs have no use for. */
const NOT_NEEDED = [
  '@nestjs/microservices',
  '@nestjs/platform-express',
  '@nestjs/websockets',
  'class-transformer',
  'class-validator',
];

/** zod's messages in fifty languages would be loaded at every start; ours are English. */
const ENGLISH_ONLY: Plugin = {
  name: 'english-only',
  setup(build) {
    build.onLoad({ filter: /zod[\\/]v4[\\/]locales[\\/]index\.cjs$/ }, () => ({
      contents: `exports.en = require('./en.cjs').default;`,
    }));
  },
};

/** `agentrelay mcp` is the program beside it, not a second copy that every other command would have to parse. */
const SERVER_BESIDE: Plugin = {
  name: 'server-beside',
  setup(build) {
    build.onResolve({ filter: /mcp-server\/src\/main(\.js)?$/ }, ({ kind }) =>
      kind === 'entry-point' ? undefined : { path: './agentrelay-mcp.js', external: true },
    );
  },
};

const PART_BESIDE: Plugin = {
  name: 'part-beside',
  setup(build) {
    build.onResolve({ filter: new RegExp(`/(${Object.keys(PARTS).join('|')})(\\.js)?$`) }, ({ kind, path }) => {
      const name = path.replace(/^.*\//, '').replace(/\.js$/, '');
      return kind === 'entry-point' ? undefined : { path: `./${name}.js`, external: true };
    });
  },
};

/** `npm run pack:mcp`: the package `agentrelay-mcp` in dist/package, a bundled file for each program and nothing to install. */
async function main(): Promise<void> {
  rmSync(PACKAGE, { recursive: true, force: true });
  mkdirSync(PACKAGE, { recursive: true });
  const names = Object.keys(PROGRAMS);
  const bundled = new Set<string>();
  for (const [name, entry] of Object.entries({ ...PROGRAMS, ...PARTS }))
    for (const folder of await bundle(name, entry)) bundled.add(folder);
  writeFileSync(join(PACKAGE, 'THIRD-PARTY-LICENSES'), [...bundled].sort().map(licenseOf).join('\n'));
  copyFileSync(join(ROOT, 'LICENSE'), join(PACKAGE, 'LICENSE'));
  copyFileSync(join(ROOT, 'packaging/agentrelay-mcp/README.md'), join(PACKAGE, 'README.md'));
  writeFileSync(join(PACKAGE, 'package.json'), `${JSON.stringify(manifest(names), null, 2)}\n`);
}

/** Bundles the compiled program, because only the TypeScript compiler writes down the types that Nest injects by. */
async function bundle(name: string, entry: string): Promise<string[]> {
  const outfile = join(PACKAGE, `${name}.js`);
  const { metafile } = await build({
    entryPoints: [join(ROOT, entry)],
    outfile,
    absWorkingDir: ROOT,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: NOT_NEEDED.flatMap((module) => [module, `${module}/*`]),
    // Its CommonJS build looks for its parts in a way that no bundler follows.
    alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
    plugins: [ENGLISH_ONLY, SERVER_BESIDE, PART_BESIDE],
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    banner: {
      js: readFileSync(join(ROOT, entry), 'utf8').startsWith('#!') ? '' : '#!/usr/bin/env node',
    },
    metafile: true,
    logLevel: 'warning',
  });
  chmodSync(outfile, 0o755);
  return packagesIn(metafile);
}

/** The folders of the packages that ended up in a bundle. */
function packagesIn({ inputs }: Metafile): string[] {
  const folders = Object.keys(inputs).map((file) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  return folders.filter((folder) => folder !== undefined);
}

function licenseOf(folder: string): string {
  const { name, version, license } = readManifest(join(ROOT, folder));
  const file = [
    'LICENSE',
    'LICENSE.md',
    'LICENSE.txt',
    'LICENCE',
    'license',
    'CopyrightNotice.txt',
    'LICENSE-MIT',
  ].find((candidate) => existsSync(join(ROOT, folder, candidate)));
  const text = file === undefined ? '' : readFileSync(join(ROOT, folder, file), 'utf8').trim();
  return `---- ${name} ${version} (${license ?? 'see its repository'})\n\n${text}\n`;
}

function manifest(names: readonly string[]): object {
  const { version, license, engines } = readManifest(ROOT);
  return {
    name: 'agentrelay-mcp',
    version,
    description: 'AgentRelay on a developer’s laptop: the MCP server for coding agents, and the command line.',
    license,
    engines,
    bin: Object.fromEntries(names.map((name) => [name, `${name}.js`])),
    files: [...[...names, ...Object.keys(PARTS)].map((name) => `${name}.js`), 'THIRD-PARTY-LICENSES'],
  };
}

function readManifest(folder: string): { name: string; version: string; license?: string; engines?: object } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as ReturnType<typeof readManifest>;
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
