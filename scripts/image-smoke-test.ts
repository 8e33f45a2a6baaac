import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '@agentrelay/embedded-postgres';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { BuildContext } from './image-smoke-test/build-context';
import { Container, setWritable } from './image-smoke-test/container';
import { strangers } from './image-smoke-test/contents';
import { type BuiltImage, ImageBuilder } from './image-smoke-test/image-builder';

const CHECKOUT = resolve(__dirname, '../..');
/** What an engine grants by default between SIGTERM and SIGKILL. */
const GRACE_MS = 10_000;
const START_MS = 60_000;
const MIGRATE = ['node', 'dist/apps/relay/src/migrate.js'];
const RAISE_EPOCH = ['node', 'dist/apps/relay/src/raise-epoch.js'];

/**
 * `npm run test:image`: performs the Dockerfiles' steps in a temporary folder, without an engine, and lives through a
 * deployment with the result: a new relay on an empty database, the migration, requests, an MCP server, SIGTERM.
 */
async function main(): Promise<void> {
  const workspace = mkdtempSync(join(tmpdir(), 'agentrelay-image-'));
  // The image's user must be able to enter it.
  chmodSync(workspace, 0o755);
  const images = join(workspace, 'images');
  mkdirSync(images);
  try {
    const builder = new ImageBuilder(new BuildContext(CHECKOUT), images);
    const build = (dockerfile: string): Promise<BuiltImage> =>
      step(`${dockerfile} builds`, () => builder.build(dockerfile));
    const relay = await build('docker/relay.Dockerfile');
    const mcpServer = await build('docker/mcp-server.Dockerfile');
    setWritable(images, false);
    await smokeTest(relay, mcpServer, join(workspace, 'postgres'));
  } finally {
    setWritable(images, true);
    rmSync(workspace, { recursive: true, force: true });
  }
}

async function smokeTest(relay: BuiltImage, mcpServer: BuiltImage, directory: string): Promise<void> {
  for (const image of [relay, mcpServer]) await examine(image);
  const database = await startEmbeddedPostgres({ directory, durable: true });
  try {
    await deploy(relay, mcpServer, database.url);
  } finally {
    await database.stop();
  }
}

async function examine(image: BuiltImage): Promise<void> {
  const program = image.options.command.join(' ');
  await step(`${program}: no development dependency, no source, no PostgreSQL in the image`, () => {
    const found = strangers(image);
    if (found.length > 0) throw new Error(`The image holds ${found.join(', ')}.`);
  });
  await step(`${program}: its user cannot write into the image`, async () => {
    const attempt = "try { fs.writeFileSync('written', ''); process.exit(1) } catch { process.exit(0) }";
    await Container.run(image, {}, ['node', '-e', attempt]);
  });
}

async function deploy(image: BuiltImage, mcpServer: BuiltImage, databaseUrl: string): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const adminToken = randomBytes(32).toString('hex');
  const metricsPort = await freePort();
  const environment = {
    HOST: '127.0.0.1',
    PORT: String(port),
    RELAY_METRICS_PORT: String(metricsPort),
    DATABASE_URL: databaseUrl,
    RELAY_KEY_PEPPERS: `p1:${randomBytes(32).toString('hex')}`,
    RELAY_ADMIN_TOKEN: adminToken,
    RELAY_PUBLIC_URL: url,
    RELAY_MIGRATE_ON_START: 'false',
  };
  const relay = Container.start(image, environment);
  try {
    await step('on an empty database the relay lives and is not ready', async () => {
      await answers(relay, `${url}/healthz`, 200);
      await answers(relay, `${url}/startupz`, 503);
      await answers(relay, `${url}/readyz`, 503);
    });
    await step('migrate.js brings the schema up to date, and has nothing to do the second time', async () => {
      contains(await Container.run(image, environment, MIGRATE), 'Applied ');
      contains(await Container.run(image, environment, MIGRATE), 'The schema is current.');
    });
    await step('then the relay is ready, and its health check says so', async () => {
      await answers(relay, `${url}/startupz`, 200);
      await answers(relay, `${url}/readyz`, 200);
      await Container.run(image, environment, image.options.healthCheck ?? []);
    });
    await step('metrics are served on their own port', () =>
      answers(relay, `http://127.0.0.1:${metricsPort}/metrics`, 200),
    );
    const apiKey = await step('an agent is registered', () => register(url, adminToken));
    await step('an MCP server speaks to the relay, and ends when its client does', () =>
      useMcpServer(mcpServer, { AGENTRELAY_URL: url, AGENTRELAY_API_KEY: apiKey }),
    );
    await step('raise-epoch.js runs', () => Container.run(image, environment, RAISE_EPOCH));
    await step(`on SIGTERM the relay exits with 0 within ${GRACE_MS / 1000} s`, async () => {
      relay.process.kill('SIGTERM');
      const code = await relay.exit(GRACE_MS);
      if (code !== 0) throw new Error(`It exited with ${String(code)}:\n${relay.printed}`);
    });
  } finally {
    relay.kill();
  }
}

async function register(url: string, adminToken: string): Promise<string> {
  const response = await fetch(`${url}/admin/agents`, {
    method: 'POST',
    headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ handle: 'bob@acme' }),
  });
  if (response.status !== 201) throw new Error(`Registering gave ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { api_key: string }).api_key;
}

async function useMcpServer(image: BuiltImage, environment: Record<string, string>): Promise<void> {
  const server = Container.start(image, environment);
  try {
    const client = new Client({ name: 'agentrelay-smoke-test', version: '1.0.0' });
    // Over pipes both ends speak alike; the client's own transport cannot switch users.
    await client.connect(new StdioServerTransport(server.process.stdout, server.process.stdin));
    const { isError, content } = await client.callTool({ name: 'list_teammates', arguments: {} });
    if (isError === true) throw new Error(`list_teammates failed: ${JSON.stringify(content)}`);
    server.process.stdin.end();
    const code = await server.exit(GRACE_MS);
    if (code !== 0) throw new Error(`The MCP server exited with ${String(code)}:\n${server.printed}`);
  } finally {
    server.kill();
  }
}

/** Waits until the program answers with this status. */
async function answers(program: Container, url: string, status: number): Promise<void> {
  for (const end = Date.now() + START_MS; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const answered = await fetch(url).then(
      (response) => response.status,
      () => undefined,
    );
    if (answered === status) return;
    if (!program.isRunning || Date.now() > end)
      throw new Error(`${url} answered ${answered ?? 'nothing'} instead of ${status}:\n${program.printed}`);
  }
}

function contains(text: string, expected: string): void {
  if (!text.includes(expected)) throw new Error(`Expected "${expected}" in:\n${text}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    }),
  );
}

async function step<Result>(promise: string, perform: () => Result | Promise<Result>): Promise<Result> {
  const start = Date.now();
  try {
    const result = await perform();
    process.stdout.write(`✓ ${promise} (${((Date.now() - start) / 1000).toFixed(1)} s)\n`);
    return result;
  } catch (error) {
    process.stdout.write(`✗ ${promise}\n`);
    throw error;
  }
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
