import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { eventually, MCP_SERVER, useRelay } from '@agentrelay/testing';
import fc from 'fast-check';
import { type McpLine, mcpLine } from './mcp-lines';

const LINES = Number(process.env['FUZZ_LINES'] ?? 3_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? Date.now() % 2 ** 31);
/** Longer than this no answer may take. */
const HANG_MS = 5_000;
const AT_ONCE = 10;

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '1' } },
};

const relay = useRelay();

let server: ChildProcessByStdio<Writable, Readable, null>;
/** Every line of stdout so far. */
let lines: string[];

beforeEach(async () => {
  const ann = await relay.agent('ann@acme');
  await relay.agent('ben@acme');
  server = spawn(process.execPath, [MCP_SERVER], {
    env: { AGENTRELAY_URL: ann.url, AGENTRELAY_API_KEY: ann.apiKey, AGENTRELAY_HOME: '/nonexistent' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  lines = [];
  let rest = '';
  server.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
});

afterEach(async () => {
  server.stdin.end();
  if (server.exitCode === null) await once(server, 'exit');
});

function write({ text }: McpLine): void {
  server.stdin.write(Buffer.concat([Buffer.from(text), Buffer.from('\n')]));
}

describe('the MCP server', () => {
  it(`answers every request among ${LINES} hostile lines, and prints nothing but JSON-RPC (seed ${SEED})`, async () => {
    const answers = new Set<unknown>();
    let read = 0;
    const take = (): Set<unknown> => {
      for (const line of lines.slice(read)) {
        const { jsonrpc, id } = JSON.parse(line) as { jsonrpc: unknown; id?: unknown };
        expect(jsonrpc).toBe('2.0');
        answers.add(id);
      }
      read = lines.length;
      return answers;
    };
    write({ text: JSON.stringify(INITIALIZE), answered: true });
    await eventually('initialize is answered', () => take().has(0), 30_000);
    for (let first = 1; first <= LINES; first += AT_ONCE) {
      const ids = Array.from({ length: AT_ONCE }, (_, i) => first + i);
      const sent = ids.map((id) => fc.sample(mcpLine(id), { seed: SEED + id, numRuns: 1 })[0]!);
      sent.forEach(write);
      const open = ids.filter((_, i) => sent[i]!.answered);
      const shown = sent.map(({ text }) => text.toString().slice(0, 200)).join('\n');
      await eventually(`these are answered:\n${shown}`, () => open.every((id) => take().has(id)), HANG_MS);
      expect(server.exitCode).toBeNull();
    }
    expect(lines.join('\n')).not.toMatch(/node_modules|\n\s+at /);
  });
});
