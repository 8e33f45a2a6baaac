import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { readConfigFile } from '@agentrelay/workstation';
import { CHECKOUT, type DemoAgent, demoAgentsOf, startDevelopmentRelay } from './development-relay';

/** `npm run demo`: a whole handoff between two agents, through two real MCP servers, with what each side sees. */
async function main(): Promise<void> {
  const running = await runningRelay();
  const relay = running ?? (await startDevelopmentRelay({ PORT: '0' }));
  try {
    const [bob, frank] = relay.demoAgents;
    if (bob === undefined || frank === undefined) {
      throw new Error(
        'This database has agents but not the demo ones. Run the demo without DATABASE_URL, or on an empty database.',
      );
    }
    print(`Two agents on the relay at ${relay.url}, each with an MCP server of its own.`);
    await handOver(await connect(bob), await connect(frank));
  } finally {
    await relay.stop();
  }
}

interface Session {
  handle: string;
  client: Client;
}

async function handOver(bob: Session, frank: Session): Promise<void> {
  const sent = await use(bob, 'handoff_to_teammate', {
    to: frank.handle,
    intent: 'ask_question',
    summary: 'I refactored the /users endpoint. It is paginated now: { items, next_cursor }.',
    question: 'Does the web client need cursors in both directions?',
    artifacts: [
      {
        type: 'file_diff',
        path: 'src/api/users.ts',
        diff: '-  return users;\n+  return { items: users, next_cursor: cursor };',
      },
      { type: 'test_command', command: 'npm test -- users' },
    ],
  });
  const thread = { thread_id: (sent as { thread_id: string }).thread_id };
  await use(frank, 'check_inbox', {});
  await use(frank, 'accept_handoff', thread);
  await use(frank, 'send_message', { ...thread, body: 'Which page size do you use by default?' });
  await use(bob, 'send_message', { ...thread, body: '50 items, 200 at most.' });
  await use(frank, 'complete_handoff', {
    ...thread,
    result_summary: 'Forward cursors are enough; the client is adapted.',
  });
  await use(bob, 'check_inbox', {});
  await use(bob, 'view_thread', thread);
  await bob.client.close();
  await frank.client.close();
}

/** Calls a tool and prints the call and the text that the agent reads. */
async function use({ handle, client }: Session, name: string, args: Record<string, unknown>): Promise<unknown> {
  print(`\n── ${handle} calls ${name} ${'─'.repeat(Math.max(3, 60 - handle.length - name.length))}`);
  print(JSON.stringify(args, null, 2));
  const { content, structuredContent, isError } = await client.callTool({ name, arguments: args });
  const text = (content as { text: string }[]).map((part) => part.text).join('\n');
  print(`\n${text}`);
  if (isError === true) throw new Error(`${name} failed.`);
  return structuredContent;
}

async function connect({ handle, home }: DemoAgent): Promise<Session> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [join(CHECKOUT, 'dist/apps/mcp-server/src/main.js')],
    env: { AGENTRELAY_HOME: home },
  });
  const client = new Client({ name: 'agentrelay-demo', version: '1.0.0' });
  await client.connect(transport);
  return { handle, client };
}

/** The relay that `npm start` of this checkout serves, when it does. */
async function runningRelay(): Promise<{ url: string; demoAgents: DemoAgent[]; stop(): Promise<void> } | undefined> {
  const demoAgents = demoAgentsOf();
  const [first] = demoAgents;
  const config = first && readConfigFile(first.home);
  if (config === undefined) return undefined;
  const headers = { authorization: `Bearer ${config.api_key}` };
  const answer = await fetch(`${config.relay_url}/agents/me`, { headers }).catch(() => undefined);
  return answer?.ok === true ? { url: config.relay_url, demoAgents, stop: () => Promise.resolve() } : undefined;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(1);
  },
);
