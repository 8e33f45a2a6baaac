import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { eventually, MCP_SERVER, McpSession, type TestAgent, useRelay } from '@agentrelay/testing';
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

const relay = useRelay();
const INBOX = 'agentrelay://inbox';

describe('the resources', () => {
  let bob: TestAgent;
  let frank: TestAgent;
  let session: McpSession;
  let updated: string[];
  let listChanges: number;

  beforeEach(async () => {
    bob = await relay.agent('bob@acme');
    frank = await relay.agent('frank@acme');
    session = await McpSession.start({ AGENTRELAY_URL: frank.url, AGENTRELAY_API_KEY: frank.apiKey });
    updated = [];
    listChanges = 0;
    session.client.setNotificationHandler(
      ResourceUpdatedNotificationSchema,
      ({ params }) => void updated.push(params.uri),
    );
    session.client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
      listChanges++;
    });
  });

  afterEach(() => session.stop());

  async function read(uri: string): Promise<string> {
    const { contents } = await session.client.readResource({ uri });
    return (contents as { text: string }[]).map((part) => part.text).join('\n');
  }

  it('list the inbox and the threads that wait, named by what the relay vouches for', async () => {
    const { task_id } = await bob.send('frank@acme');
    await frank.send('bob@acme', { intent: 'ask_question' });
    const { resources } = await session.client.listResources();
    expect(resources.map(({ uri, title }) => [uri, title])).toEqual([
      [INBOX, 'Inbox'],
      [expect.stringMatching(/^agentrelay:\/\/threads\//), 'ask_question to bob@acme'],
      [`agentrelay://threads/${task_id}`, 'inform from bob@acme'],
    ]);
    const { resourceTemplates } = await session.client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'agentrelay://threads/{id}',
      'agentrelay://inbox/from/{cursor}',
      'agentrelay://threads/{id}/from/{place}',
    ]);
  });

  it('show inbox and thread as data of the teammate, and mark nothing as read', async () => {
    const { task_id } = await bob.send('frank@acme');
    const uri = `agentrelay://threads/${task_id}`;
    for (const shown of [await read(INBOX), await read(uri)]) {
      expect(shown).toContain('UNTRUSTED CONTENT follows');
      expect(shown).toContain('| Please have a look.');
    }
    expect((await frank.get(task_id, { mark_read: false })).unread_messages).toBe(1);
    expect((await bob.get(task_id)).delivery.opened).toHaveProperty('cause');
  });

  it('say what a tool would say when they cannot be read', async () => {
    const missing = 'agentrelay://threads/0198c5d2-7d1e-7000-8000-000000000001';
    await expect(read(missing)).rejects.toThrow(/thread_not_found\.\n[^]*check_inbox/);
  });

  it('tell whoever listed that the list has changed, and whoever subscribed that a thread has, until they unsubscribe', async () => {
    const { task_id } = await bob.send('frank@acme');
    const uri = `agentrelay://threads/${task_id}`;
    await session.client.listResources();
    await bob.send('frank@acme');
    await eventually('the list has changed', () => listChanges === 1);
    expect(updated).toEqual([]);
    await session.client.subscribeResource({ uri });
    await session.client.subscribeResource({ uri: INBOX });
    await bob.append(task_id, 'One more thing.');
    await eventually('both were told', () => updated.length === 2);
    expect([...updated].sort()).toEqual([INBOX, uri]);
    await session.client.unsubscribeResource({ uri });
    await bob.append(task_id, 'And another.');
    await eventually('the inbox was told', () => updated.length === 3);
    expect(updated.slice(2)).toEqual([INBOX]);
    expect(listChanges).toBe(1);
  });
});

describe('the prompts', () => {
  it('guide a handoff and a triage', async () => {
    const session = await McpSession.start({});
    const { prompts } = await session.client.listPrompts();
    expect(prompts.map(({ name, arguments: args }) => [name, args?.map((arg) => arg.name)])).toEqual([
      ['handoff', ['to', 'about']],
      ['inbox', []],
    ]);
    const prompt = async (name: string, args: Record<string, string>): Promise<string> => {
      const { messages } = await session.client.getPrompt({ name, arguments: args });
      return messages.map(({ content }) => (content.type === 'text' ? content.text : '')).join('\n');
    };
    const handoff = await prompt('handoff', { to: 'frank@acme', about: 'the /users API' });
    expect(handoff).toContain('Prepare a handoff to frank@acme about: the /users API.');
    for (const tool of ['list_teammates', 'handoff_to_teammate']) expect(handoff).toContain(tool);
    expect(await prompt('inbox', {})).toContain('check_inbox');
    await session.stop();
  });
});

describe('following events in the background', () => {
  let away: Server;
  let requests: string[];

  beforeEach(async () => {
    requests = [];
    away = createServer((request, response) => {
      void text(request).then((body) => requests.push(body));
      response.writeHead(503).end('{}');
    });
    await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve));
  });

  afterEach(() => {
    away.closeAllConnections();
    away.close();
  });

  function environment(): Record<string, string> {
    const { port } = away.address() as AddressInfo;
    return { AGENTRELAY_URL: `http://127.0.0.1:${port}`, AGENTRELAY_API_KEY: 'ar_test_none' };
  }

  it('starts only when somebody asks for resources, and does not hammer a relay that is away', async () => {
    const session = await McpSession.start(environment());
    await session.client.listTools();
    await session.call('check_inbox');
    expect(requests.filter((body) => body.includes('events/list'))).toEqual([]);
    const before = requests.length;
    const started = performance.now();
    const { resources } = await session.client.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([INBOX]);
    await eventually('it has been asked again after a pause', () => requests.length >= before + 7, 20_000);
    const seconds = (performance.now() - started) / 1_000;
    // Three tries each for the listing and for every attempt of the watcher, with a pause of at least half a second between.
    expect((requests.length - before) / seconds).toBeLessThan(9);
    await session.stop();
  });

  it('keeps no process alive when stdin closes', async () => {
    const { frank } = await relay.pair();
    const server = spawn(process.execPath, [MCP_SERVER], {
      env: { AGENTRELAY_HOME: '/nonexistent', AGENTRELAY_URL: frank.url, AGENTRELAY_API_KEY: frank.apiKey },
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    let stdout = '';
    server.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    const say = (message: object): void =>
      void server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    const clientInfo = { name: 'raw', version: '1' };
    say({ id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo } });
    say({ method: 'notifications/initialized' });
    say({ id: 2, method: 'resources/subscribe', params: { uri: INBOX } });
    await eventually('it is subscribed', () => stdout.includes('"id":2'));
    server.stdin.end();
    const [code] = (await once(server, 'exit')) as [number];
    expect(code).toBe(0);
  });
});
