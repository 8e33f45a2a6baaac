import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, MCP_SERVER, McpSession, useRelay } from '@agentrelay/testing';
import { writeConfig } from '@agentrelay/workstation';

const relay = useRelay();

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

describe('the MCP server process', () => {
  it('without a configuration lists ten tools with inputs, outputs, titles and all annotations, as written down, within 6,000 tokens', async () => {
    const session = await McpSession.start({});
    const { tools } = await session.client.listTools();
    await session.stop();
    expect(tools.map(({ name }) => name)).toEqual([
      'handoff_to_teammate',
      'check_inbox',
      'accept_handoff',
      'send_message',
      'complete_handoff',
      'view_thread',
      'list_teammates',
      'cancel_handoff',
      'draft_proposed_action',
      'wait_for_updates',
    ]);
    for (const { inputSchema, outputSchema, title, annotations } of tools) {
      expect(inputSchema.type).toBe('object');
      expect(outputSchema?.type).toBe('object');
      expect(title).toBeTruthy();
      expect(Object.keys(annotations ?? {}).sort()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
        'title',
      ]);
    }
    const artifacts = JSON.stringify(tools[0]?.inputSchema.properties?.['artifacts']);
    for (const word of ['file_diff', 'git_sha', 'test_command', 'schema_url', 'title'])
      expect(artifacts).toContain(word);
    expect(JSON.stringify(tools).length / 4).toBeLessThan(6_000);
    expect(tools).toMatchSnapshot();
  });

  it('without a configuration answers each call with one line that says how to join', async () => {
    const session = await McpSession.start({});
    const { text, isError } = await session.call('check_inbox');
    await session.stop();
    expect(isError).toBe(true);
    expect(text).toMatch(/^AgentRelay is not connected yet: .*AGENTRELAY_URL and AGENTRELAY_API_KEY.*$/);
  });

  it('reads its relay and key from config.json, and refuses a config that others can read', async () => {
    const frank = await relay.agent('frank@acme');
    const home = mkdtempSync(join(tmpdir(), 'agentrelay-home-'));
    const config = { relay_url: frank.url, agent_handle: frank.handle, agent_id: frank.agentId, api_key: frank.apiKey };
    writeConfig(home, config);
    const session = await McpSession.start({ AGENTRELAY_HOME: home });
    expect((await session.call('check_inbox')).text).toBe('No handoffs for you.');
    await session.stop();
    const { chmodSync } = await import('node:fs');
    chmodSync(join(home, 'config.json'), 0o644);
    const careless = await McpSession.start({ AGENTRELAY_HOME: home });
    expect((await careless.call('check_inbox')).text).toContain(`chmod 600 ${join(home, 'config.json')}`);
    await careless.stop();
  });

  it('ends with a reason when it is given a human key', async () => {
    const frank = await relay.agent('frank@acme');
    const { body } = await relay.admin<{ api_key: string }>('POST', '/admin/agents/frank@acme/keys', {
      principal: 'human',
    });
    const server = spawn(process.execPath, [MCP_SERVER], {
      env: { AGENTRELAY_URL: frank.url, AGENTRELAY_API_KEY: body.api_key },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let stderr = '';
    server.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const [code] = (await once(server, 'exit')) as [number];
    expect(code).toBe(1);
    expect(stderr).toContain('This is a human key.');
  });

  it('keeps stdout for JSON-RPC when a dependency prints, and ends with code 0 when stdin closes', async () => {
    const noisy = join(mkdtempSync(join(tmpdir(), 'agentrelay-noisy-')), 'noisy.js');
    const { writeFileSync } = await import('node:fs');
    writeFileSync(
      noisy,
      `setImmediate(() => {
        console.log('NOISE'); console.table([1]); console.info('NOISE'); console.dir({ noise: 1 });
        process.emitWarning('a warning of the runtime');
        process.stdout.write(Buffer.from('NOISE')); process.stdout.write('MORE NOISE\\n');
      });`,
    );
    // Printing starts once the program has been loaded, as a dependency's would.
    const server = spawn(process.execPath, ['-r', noisy, MCP_SERVER], { env: {}, stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    server.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    server.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    server.stdin.write(`${JSON.stringify(initialize)}\n`);
    await eventually('initialize is answered', () => stdout.includes('"result"'));
    await eventually(
      'the noise was made',
      () => stderr.includes('MORE NOISE') && stderr.includes('warning of the runtime'),
    );
    server.stdin.end();
    const [code] = (await once(server, 'exit')) as [number];
    expect(code).toBe(0);
    const lines = stdout.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { jsonrpc: string }).jsonrpc)).toEqual(lines.map(() => '2.0'));
  });
});
