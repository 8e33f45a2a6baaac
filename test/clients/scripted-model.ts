import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Api, apiOf, type Conversation, type Offered, type Turn } from './model-apis';
import { schemaFault } from './schema-fault';

/** One thing that the model does: call a tool of ours, call one of the client's own, or say something and end. */
export type Step = { tool: string; input: object } | { own: string; input: object } | { text: string };

const OWN_SERVER = 'agentrelay';
const THREAD_ID = /([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21})/g;
/** A message has such an id too: what is called a thread goes first. */
const NAMED_THREAD = /thread(?:_id)?\W{1,8}([0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f-]{21})/gi;
/** What a handoff that is passed on says of whom it has been with. */
const CHAIN = /(Chain:(?: [\w-]+)+)/g;
/** Where a cut thread goes on. */
const READ_ON = /view_thread with thread_id \W*[0-9a-f-]{36}\W+and from \W*([\w.-]+)/g;
/** Claude Code names tools first and tells their schemas when it is asked. */
const SEARCH = 'ToolSearch';

/**
 * A model on loopback that speaks the APIs of Anthropic, OpenAI (Responses) and Google, and does what a script says: a
 * prompt with SCRIPT:name plays `name`. It can only do what the request lets it: what is not among the tools of the
 * request, or does not fit the schema there, is a fault and ends the conversation.
 */
export class ScriptedModel {
  /** What it could not do, and why. */
  readonly faults: string[] = [];
  private readonly scripts = new Map<string, Step[]>();
  private readonly conversations = new Map<string, Conversation[]>();
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => void this.answer(request, response));
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
  }

  stop(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /**
   * Keeps a script. In an input `{{thread_id}}` stands for the newest thread id of the conversation, `{{chain}}` for what a handoff says
   * of whom it has been with, `{{from}}` for the place where a cut thread goes on.
   */
  script(name: string, steps: Step[]): void {
    this.scripts.set(name, steps);
  }

  /** What the requests of a script held, in order. */
  seen(name: string): Conversation[] {
    return this.conversations.get(name) ?? [];
  }

  /** What the model was told that its calls brought, in the last request of a script. */
  results(name: string): string[] {
    return this.seen(name).at(-1)?.results ?? [];
  }

  /** The tools of ours in the first request of a script. */
  offered(name: string): Offered[] {
    return (this.seen(name)[0]?.tools ?? []).filter(isOurs);
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const url = (request.url ?? '').split('?')[0] ?? '';
    const api = apiOf(url);
    if (api === undefined || request.method !== 'POST') {
      response.writeHead(url.endsWith('/models') ? 200 : 404, { 'content-type': 'application/json' });
      response.end('{"object": "list", "data": [], "models": [], "error": {"message": "not here"}}');
      return;
    }
    const body = JSON.parse(Buffer.concat(chunks).toString()) as object;
    const conversation = api.read(body);
    api.write(response, this.nextTurn(api, conversation), { body, stream: isStream(url, body) });
  }

  private nextTurn(api: Api, conversation: Conversation): Turn {
    const name = [...conversation.text.matchAll(/SCRIPT:([\w-]+)/g)].at(-1)?.[1];
    // Clients ask for titles and the like, without tools.
    if (name === undefined || conversation.tools.length === 0) return { text: api.small };
    this.conversations.set(name, [...this.seen(name), conversation]);
    const done = conversation.calls.filter((call) => call !== SEARCH).length;
    const step = this.scripts.get(name)?.[done] ?? { text: 'Done.' };
    if ('text' in step) return step;
    return this.call(name, step, conversation);
  }

  private call(script: string, step: Exclude<Step, { text: string }>, conversation: Conversation): Turn {
    const wanted = 'tool' in step ? step.tool : step.own;
    const tools = conversation.tools.filter((tool) => ('tool' in step ? isOurs(tool) : true));
    const tool = tools.find(({ name, namespace }) =>
      'tool' in step ? isNamed(name, namespace, wanted) : name === wanted,
    );
    if (tool === undefined) return this.searched(script, step, conversation) ?? this.fault(script, `no tool ${wanted}`);
    const input = filled(step.input, conversation.results.join('\n'));
    const wrong = schemaFault(tool.schema, input);
    if (wrong !== undefined) return this.fault(script, `${wanted} does not take ${JSON.stringify(input)}: ${wrong}`);
    return { call: tool, input };
  }

  /** Claude Code lists the names of tools in the conversation; their schemas come when they are searched for. */
  private searched(script: string, step: object, { tools, text, calls }: Conversation): Turn | undefined {
    const search = tools.find(({ name }) => name === SEARCH);
    if (search === undefined || !('tool' in step) || typeof step.tool !== 'string') return undefined;
    const name = `mcp__agentrelay__${step.tool}`;
    if (
      !text.includes(name) ||
      calls.filter((call) => call === SEARCH).length > (this.scripts.get(script)?.length ?? 0)
    )
      return undefined;
    return { call: search, input: { query: `select:${name}` } };
  }

  private fault(script: string, what: string): Turn {
    this.faults.push(`${script}: ${what}`);
    return { text: what };
  }
}

function isOurs({ name, namespace = '' }: Offered): boolean {
  return name.includes(OWN_SERVER) || namespace.includes(OWN_SERVER);
}

function isNamed(name: string, namespace: string | undefined, wanted: string): boolean {
  return namespace === undefined ? new RegExp(`agentrelay[_-]+${wanted}$`).test(name) : name === wanted;
}

function filled(input: object, text: string): object {
  const newest = (pattern: RegExp): string | undefined => [...text.matchAll(pattern)].at(-1)?.[1];
  const words = {
    '{{thread_id}}': newest(NAMED_THREAD) ?? newest(THREAD_ID) ?? 'no-thread-id',
    '{{chain}}': newest(CHAIN) ?? 'no-chain',
    '{{from}}': newest(READ_ON) ?? 'no-place',
  };
  return JSON.parse(
    Object.entries(words).reduce((json, [name, word]) => json.replaceAll(name, word), JSON.stringify(input)),
  ) as object;
}

function isStream(url: string, body: object): boolean {
  return url.includes('streamGenerateContent') || (body as { stream?: boolean }).stream === true;
}
