import type { ServerResponse } from 'node:http';

/** A tool as the request of a client offers it. */
export interface Offered {
  name: string;
  /** Codex keeps the tools of a server together under its name. */
  namespace?: string;
  schema: Record<string, unknown>;
}

/** What a request says, whatever its API. */
export interface Conversation {
  /** All of it, for finding names in. */
  text: string;
  tools: Offered[];
  /** The names of the tools called so far. */
  calls: string[];
  /** What those calls brought, as the model is shown it. */
  results: string[];
}

export type Turn = { text: string } | { call: Offered; input: object };

export interface Api {
  /** What to answer where a client asks for something small besides. */
  small: string;
  read(body: object): Conversation;
  write(response: ServerResponse, turn: Turn, asked: { body: object; stream: boolean }): void;
}

type Json = Record<string, unknown>;

let answered = 0;

export function apiOf(url: string): Api | undefined {
  if (url.endsWith('/v1/messages')) return ANTHROPIC;
  if (url.endsWith('/responses')) return RESPONSES;
  return /generateContent$/i.test(url) ? GEMINI : undefined;
}

const USAGE = { input_tokens: 10, output_tokens: 10 };

const ANTHROPIC: Api = {
  small: 'ok',
  read(body) {
    const { messages = [], tools = [] } = body as { messages?: { role: string; content: unknown }[]; tools?: Json[] };
    const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? (content as Json[]) : []));
    return {
      text: texts(messages),
      tools: tools.map(({ name, input_schema }) => ({ name: String(name), schema: (input_schema ?? {}) as Json })),
      calls: parts.filter(({ type }) => type === 'tool_use').map(({ name }) => String(name)),
      results: parts.filter(({ type }) => type === 'tool_result').map(({ content }) => shown(content)),
    };
  },
  write(response, turn, { body, stream }) {
    const id = ++answered;
    const content =
      'text' in turn
        ? { type: 'text', text: turn.text }
        : { type: 'tool_use', id: `toolu_${id}`, name: turn.call.name, input: turn.input };
    const stop_reason = 'text' in turn ? 'end_turn' : 'tool_use';
    const { model } = body as { model?: string };
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null, usage: USAGE };
    if (!stream) {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ ...message, content: [content], stop_reason }));
      return;
    }
    const delta =
      'text' in turn
        ? { type: 'text_delta', text: turn.text }
        : { type: 'input_json_delta', partial_json: JSON.stringify(turn.input) };
    const empty = 'text' in turn ? { type: 'text', text: '' } : { ...content, input: {} };
    events(response, [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: empty },
      { type: 'content_block_delta', index: 0, delta },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } },
      { type: 'message_stop' },
    ]);
  },
};

const RESPONSES: Api = {
  small: 'ok',
  read(body) {
    const { input = [], tools = [] } = body as { input?: Json[]; tools?: Json[] };
    return {
      text: texts(input),
      tools: tools.flatMap((tool) => {
        const inner = tool['tools'] as Json[] | undefined;
        if (inner === undefined) return [{ name: String(tool['name']), schema: (tool['parameters'] ?? {}) as Json }];
        const namespace = String(tool['name']);
        return inner.map(({ name, parameters }) => ({
          name: String(name),
          namespace,
          schema: (parameters ?? {}) as Json,
        }));
      }),
      calls: input.filter(({ type }) => type === 'function_call').map(({ name }) => String(name)),
      results: input.filter(({ type }) => type === 'function_call_output').map(({ output }) => shown(output)),
    };
  },
  write(response, turn, { body }) {
    const id = ++answered;
    const item =
      'text' in turn
        ? {
            type: 'message',
            id: `msg_${id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: turn.text, annotations: [] }],
          }
        : {
            type: 'function_call',
            id: `fc_${id}`,
            call_id: `call_${id}`,
            name: turn.call.name,
            ...(turn.call.namespace !== undefined && { namespace: turn.call.namespace }),
            arguments: JSON.stringify(turn.input),
            status: 'completed',
          };
    const { model } = body as { model?: string };
    const created = { id: `resp_${id}`, object: 'response', created_at: 1, model, status: 'in_progress', output: [] };
    const usage = {
      ...USAGE,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 20,
    };
    events(response, [
      { type: 'response.created', sequence_number: 0, response: created },
      { type: 'response.output_item.added', sequence_number: 1, output_index: 0, item },
      { type: 'response.output_item.done', sequence_number: 2, output_index: 0, item },
      {
        type: 'response.completed',
        sequence_number: 3,
        response: { ...created, status: 'completed', output: [item], usage },
      },
    ]);
  },
};

const GEMINI: Api = {
  small: '{"complexity_reasoning": "x", "complexity_score": 1, "reasoning": "x", "model_choice": "flash"}',
  read(body) {
    const { contents = [], tools = [] } = body as {
      contents?: { parts?: Json[] }[];
      tools?: { functionDeclarations?: Json[] }[];
    };
    const parts = contents.flatMap((content) => content.parts ?? []);
    return {
      text: texts(contents),
      tools: tools
        .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
        .map((tool) => ({
          name: String(tool['name']),
          schema: (tool['parametersJsonSchema'] ?? tool['parameters'] ?? {}) as Json,
        })),
      calls: parts.flatMap((part) => (part['functionCall'] as { name: string } | undefined)?.name ?? []),
      results: parts.flatMap((part) => {
        const said = part['functionResponse'] as { response: { output?: string; error?: string } } | undefined;
        return said === undefined ? [] : [said.response.output ?? said.response.error ?? ''];
      }),
    };
  },
  write(response, turn, { stream }) {
    const part = 'text' in turn ? { text: turn.text } : { functionCall: { name: turn.call.name, args: turn.input } };
    const answer = JSON.stringify({
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
      modelVersion: 'scripted',
    });
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' });
    response.end(stream ? `data: ${answer}\r\n\r\n` : answer);
  },
};

function events(response: ServerResponse, all: readonly ({ type: string } & Json)[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of all) response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  response.end();
}

/** What a client gives its model as the result of a call: a text, or blocks of it. */
function shown(content: unknown): string {
  if (typeof content === 'string') return content;
  const blocks = Array.isArray(content) ? (content as Json[]) : [];
  return blocks.map(({ text }) => (typeof text === 'string' ? text : '')).join('\n');
}

/** Every string of a value, one a line: escapes of JSON inside JSON would hide what is looked for. */
function texts(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value !== 'object' || value === null) return '';
  return Object.values(value).map(texts).join('\n');
}
