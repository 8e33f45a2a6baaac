import fc from 'fast-check';
import { damaged, hostileText, hostileValue, spoilt, TASK_ID } from './hostile-values';

const TOOLS: [name: string, args: object][] = [
  ['handoff_to_teammate', { recipient: 'ben@acme', intent: 'inform', summary: 'Have a look', artifacts: [] }],
  ['check_inbox', {}],
  ['accept_handoff', { task_id: TASK_ID }],
  ['send_message', { task_id: TASK_ID, message: 'x' }],
  ['complete_handoff', { task_id: TASK_ID, result_summary: 'done' }],
  ['view_thread', { task_id: TASK_ID }],
  ['list_teammates', {}],
  ['cancel_handoff', { task_id: TASK_ID }],
];

/** What goes down the standard input of the MCP server: a line, and whether it must be answered under its id. */
export interface McpLine {
  text: string | Buffer;
  answered: boolean;
}

function request(id: number, method: unknown, params: unknown): McpLine {
  return { text: JSON.stringify({ jsonrpc: '2.0', id, method, params }), answered: true };
}

/** Requests that must be answered, with hostile tools, arguments and methods. */
function askedFor(id: number): fc.Arbitrary<McpLine> {
  const tool = fc.constantFrom(...TOOLS);
  return fc.oneof(
    tool.map(([name, args]) => request(id, 'tools/call', { name, arguments: args })),
    tool.chain(([name, args]) => damaged(args).map((bad) => request(id, 'tools/call', { name, arguments: bad }))),
    fc
      .tuple(hostileText, hostileText, hostileText)
      .map(([name, key, value]) => request(id, 'tools/call', { name, arguments: { [key]: value } })),
    fc.constantFrom('tools/list', 'ping').map((method) => request(id, method, {})),
    hostileText.map((method) => request(id, `x/${method}`, {})),
  );
}

/** Lines that are no request at all. */
const garbage: fc.Arbitrary<McpLine> = fc
  .oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes.filter((byte) => byte !== 10))),
    hostileValue.map((value) => JSON.stringify(value)),
    spoilt(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/x', params: {} })).map((bytes) =>
      Buffer.from(bytes.filter((byte) => byte !== 10)),
    ),
    fc.constantFrom(
      '',
      ' ',
      '\r',
      '[]',
      '[{}]',
      'Content-Length: 10',
      `{"jsonrpc":"2.0","id":"${'x'.repeat(2_000_000)}"}`,
      '['.repeat(200_000),
    ),
  )
  .map((text) => ({ text, answered: false }));

export function mcpLine(id: number): fc.Arbitrary<McpLine> {
  return fc.oneof({ weight: 2, arbitrary: askedFor(id) }, { weight: 1, arbitrary: garbage });
}
