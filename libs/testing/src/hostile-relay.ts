import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGzip } from 'node:zlib';

/** What a terminal, a shell or a reader would act on. */
export const HOSTILE_TEXT =
  "x\u001b[2J\u001b]0;t\u0007\u009b31m\r\u202e\u2066\u200b\nagentrelay: all is well\n$(touch pwned)`touch pwned`'; touch pwned; '\"; touch pwned #";

/**
 * How it answers: `texts` lies wherever a text is free, `lies` in every member, `refuses` with hostile words, the others
 * with bodies that no client should hold.
 */
export type Malice = 'texts' | 'lies' | 'refuses' | 'redirects' | 'endless' | 'huge' | 'compressed' | 'deep' | 'wide';

const ID = '01a22c93-dbc2-76ad-8065-c100a926d60c';
const TIME = '2026-05-01T09:00:00.000Z';

/** A relay that is out to harm whoever asks it. */
export class HostileRelay {
  malice: Malice = 'texts';

  private constructor(private readonly server: Server) {}

  static async start(): Promise<HostileRelay> {
    const server = createServer();
    const relay = new HostileRelay(server);
    server.on('request', (request, response) => void relay.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return relay;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    response.on('error', () => undefined);
    const json = { 'content-type': 'application/json', connection: 'close' };
    switch (this.malice) {
      case 'refuses': {
        const error = {
          code: -32_001,
          message: HOSTILE_TEXT.repeat(500),
          data: { code: HOSTILE_TEXT, details: { did_you_mean: [HOSTILE_TEXT] } },
        };
        return void response.writeHead(403, json).end(JSON.stringify({ error }));
      }
      case 'redirects':
        return void response.writeHead(302, { location: `http://x/'; touch pwned; '${encodeURI(HOSTILE_TEXT)}` }).end();
      case 'endless':
        return pour(response.writeHead(200, json), Infinity);
      case 'huge':
        return pour(response.writeHead(200, json), 200_000_000);
      case 'compressed': {
        const zip = createGzip();
        zip.on('error', () => undefined).pipe(response.writeHead(200, { ...json, 'content-encoding': 'gzip' }));
        return pour(zip, 400_000_000);
      }
      case 'deep':
        return void response.writeHead(200, json).end('['.repeat(5_000_000) + ']'.repeat(5_000_000));
      case 'wide':
        return void response.writeHead(200, json).end(`[${'{},'.repeat(4_000_000)}{}]`);
      default: {
        const honest = honestAnswer(request.url ?? '', body);
        response.writeHead(200, json).end(JSON.stringify(this.malice === 'lies' ? lied(honest) : honest));
      }
    }
  }
}

/** Writes a text of JSON that does not end before so many bytes, as fast as they are taken. */
function pour(target: NodeJS.WritableStream, bytes: number): void {
  const piece = Buffer.alloc(65_536, ' ');
  let left = bytes;
  const more = (): void => {
    let room = true;
    while (room && left > 0) {
      left -= piece.length;
      room = target.write(piece);
    }
    if (left <= 0) target.end('{}');
  };
  target.on('drain', more);
  more();
}

/** The same shape with the hostile text wherever a value stands. */
function lied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(lied);
  if (typeof value !== 'object' || value === null) return HOSTILE_TEXT;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, lied(member)]));
}

/** An answer that has the shape of its route, and the hostile text wherever a text is free. */
function honestAnswer(path: string, body: string): unknown {
  const text = HOSTILE_TEXT;
  const agent = {
    agent_id: ID,
    handle: 'frank@acme',
    name: text,
    role: text,
    status: 'active',
    description: text,
    skills: [text],
    repos_owned: [text],
    principal: 'agent',
    api_key: 'ar_test_x',
    key_id: ID,
  };
  if (path.endsWith('/a2a'))
    return { jsonrpc: '2.0', id: 1, result: rpcResult((JSON.parse(body) as { method: string }).method) };
  if (path.includes('/keys/rotate')) return { ...agent, expires_at: null };
  if (path.includes('/keys'))
    return {
      keys: [
        {
          key_id: ID,
          principal: 'agent',
          label: text,
          parent_key_id: null,
          created_at: TIME,
          expires_at: null,
          last_used_at: null,
          revoked_at: null,
        },
      ],
    };
  if (path.includes('/block'))
    return { blocked: [{ handle: 'eve@acme', reason: text, created_at: TIME }], handle: 'eve@acme', created_at: TIME };
  if (path.includes('/events')) return { events: [event(text)], next_cursor: null };
  if (path.includes('/admin/invites'))
    return { url: `http://127.0.0.1:1/join#v1.eA.y'; touch pwned; '`, jti: 'x', expires_at: TIME };
  return agent;
}

function event(text: string): object {
  return {
    id: 'x',
    cursor: 'x',
    type: 'message.appended',
    actor: text,
    actor_kind: 'agent',
    thread_id: ID,
    task_id: ID,
    payload: { [text]: text },
    request_id: text,
    created_at: TIME,
  };
}

function rpcResult(method: string): object {
  const text = HOSTILE_TEXT;
  const artifacts = [
    { type: 'file_diff', path: text, diff: text, [text]: text },
    { type: text, [text]: text },
  ];
  const participant = { handle: 'eve@acme', name: text, role: text };
  const common = {
    task_id: ID,
    thread_id: ID,
    status: { state: 'pending' },
    work_status: 'READY',
    intent: 'inform',
    sender: participant,
    recipient: { ...participant, handle: 'frank@acme' },
    created_at: TIME,
    updated_at: TIME,
  };
  switch (method) {
    case 'tasks/list':
      return {
        items: [{ ...common, summary_preview: text, unread_messages: 1, artifact_count: 1 }],
        next_cursor: 'x',
        unread_total: 1,
        as_of: TIME,
      };
    case 'tasks/get':
      return {
        ...common,
        summary: text,
        artifacts,
        proposed_action: { description: text, rationale: text, target_files: [text] },
        metadata: { question: text, [text]: text },
        completed_summary: text,
        completion_artifacts: [],
        delivery: {},
        inbox_url: text,
        version: 1,
        messages: [
          {
            id: ID,
            sequence_no: 1,
            from: text,
            kind: 'summary',
            body: text,
            payload: { [text]: text },
            artifacts,
            created_at: TIME,
          },
        ],
      };
    case 'events/list':
      return { events: [event(text)], cursor: 'x' };
    case 'agents/list':
      return {
        teammates: [{ ...participant, description: text, skills: [text], repos_owned: [text], card_url: text }],
        next_cursor: null,
      };
    default:
      return {
        ...common,
        recipient: 'frank@acme',
        message_id: ID,
        sequence_no: 1,
        inbox_url: text,
        version: 1,
        accepted_at: TIME,
        completed_at: TIME,
        cancelled_at: TIME,
        completion_artifacts: [],
      };
  }
}
