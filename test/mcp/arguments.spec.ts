import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { readArguments } from '../../apps/mcp-server/src/arguments';
import { MAILBOX_TOOLS, toolList } from '../../apps/mcp-server/src/tools';

type Schema = Record<string, unknown>;

interface Validator {
  validateSchema(schema: object): unknown;
  compile(schema: object): (value: unknown) => boolean;
}

/** The validator that the SDK itself brings, in its edition for the draft that clients validate by. */
const ofSdk = createRequire(require.resolve('@modelcontextprotocol/sdk/server/mcp.js'));
const { default: Ajv2020 } = ofSdk('ajv/dist/2020') as { default: new (options: object) => Validator };

/** Keywords that every client, and each provider behind them, is known to take. */
const COMMON = ['type', 'description', 'properties', 'required', 'items', 'enum', 'anyOf', 'minLength', 'maxLength', 'minItems', 'maxItems', 'minimum', 'maximum', 'pattern']; // prettier-ignore
const TYPES = ['object', 'array', 'string', 'integer', 'number', 'boolean'];

/** Each schema inside a schema, with its place. */
function walk(schema: Schema, place: string): [string, Schema][] {
  const inside: [string, unknown][] = [
    ...Object.entries(schema['properties'] ?? {}).map(([name, member]): [string, unknown] => [
      `${place}.${name}`,
      member,
    ]),
    ...((schema['anyOf'] ?? []) as unknown[]).map((branch, index): [string, unknown] => [`${place}|${index}`, branch]),
    ...(schema['items'] === undefined ? [] : ([[`${place}[]`, schema['items']]] as [string, unknown][])),
  ];
  return [[place, schema], ...inside.flatMap(([at, member]) => walk(member as Schema, at))];
}

function read(name: string, args: object) {
  const tool = MAILBOX_TOOLS.find((one) => one.name === name);
  return readArguments(tool!, args);
}

describe('the input schemas of the tools', () => {
  it.each(toolList().map(({ name, inputSchema, outputSchema }) => [name, inputSchema, outputSchema] as const))(
    '%s: valid under JSON Schema 2020-12, with nothing that a client refuses',
    (name, input, output) => {
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
      for (const schema of [input, output]) {
        expect(ajv.validateSchema(schema as object)).toBe(true);
        ajv.compile(schema as object);
      }
      for (const [place, schema] of walk(input, name)) {
        expect([place, Object.keys(schema).filter((keyword) => !COMMON.includes(keyword))]).toEqual([place, []]);
        if ('anyOf' in schema) {
          for (const branch of schema['anyOf'] as Schema[]) expect(branch['type']).toBe('object');
          continue;
        }
        expect([place, TYPES.includes(schema['type'] as string)]).toEqual([place, true]);
        if (schema['type'] === 'array') expect([place, schema['items']]).toEqual([place, expect.any(Object)]);
        if ('pattern' in schema) expect(schema['pattern']).not.toMatch(/\(\?[=!<]/);
      }
    },
  );

  it('accept what the tools accept: each example of an artifact passes both', () => {
    const [tool] = toolList();
    const ajv = new Ajv2020({ strict: true, validateFormats: false });
    const artifacts = [
      { type: 'file_diff', path: 'a.ts', diff: '-a\n+b' },
      { type: 'file_ref', path: 'a.ts', git_sha: 'a1b2c3d', lines: [42, 67] },
      { type: 'test_command', command: 'npm test', cwd: 'relay/' },
      { type: 'api_contract', schema_url: 'https://relay.example/openapi.json', inline: { 'GET /users': {} } },
      { type: 'link', url: 'https://linear.example/1', title: 'ENG-1' },
    ];
    const args = { to: 'ann@t', intent: 'inform', summary: 's', artifacts };
    expect(ajv.compile(tool?.inputSchema as object)(args)).toBe(true);
    expect(read('handoff_to_teammate', args)).toMatchObject({ faults: [], input: args });
  });
});

describe('arguments as models and clients send them', () => {
  const cases = JSON.parse(readFileSync(join(__dirname, 'arguments-of-models.json'), 'utf8')) as [
    string,
    object,
    object,
  ][];

  it.each(cases)('%s %j', (name, args, meant) => {
    expect(read(name, args)).toEqual({ input: meant, faults: [], notices: [] });
  });

  it('may hold members that the client adds for itself', () => {
    const { input, faults, notices } = read('check_inbox', { limit: 5, wait_for_previous: true, __proto__: 1 });
    expect([input, faults, notices]).toEqual([{ limit: 5 }, [], []]);
  });

  it('name what looks like another spelling of a parameter', () => {
    const { notices } = read('check_inbox', { limits: 5, anwsers_cursor: 'x', task: 'x' });
    expect(notices).toEqual([
      '"limits" is no parameter of this tool and was ignored; did you mean "limit"?',
      '"anwsers_cursor" is no parameter of this tool and was ignored; did you mean "answers_cursor"?',
    ]);
    const missing = read('view_thread', { threadid: 'x' });
    expect(missing.input).toBeUndefined();
    expect(missing.notices).toEqual([
      '"threadid" is no parameter of this tool and was ignored; did you mean "thread_id"?',
    ]);
  });

  it.each([
    ['check_inbox', { limit: '5 or so' }, 'limit'],
    ['check_inbox', { status: 'pending, accepted' }, 'status'],
    ['check_inbox', { limit: 0 }, 'limit'],
    ['handoff_to_teammate', { to: null, intent: 'inform', summary: 's' }, 'to'],
    ['handoff_to_teammate', { to: 'ann@t', intent: 'inform', summary: 7 }, 'summary'],
    [
      'handoff_to_teammate',
      { to: 'ann@t', intent: 'inform', summary: 's', artifacts: '[{"type":"other"}]' },
      'artifacts',
    ],
    ['complete_handoff', { thread_id: 'x', result_summary: 'y' }, 'thread_id'],
  ])('%s %j is refused: it could mean anything', (name, args, place) => {
    const { input, faults } = read(name, args);
    expect(input).toBeUndefined();
    expect(faults.join('\n')).toContain(place);
  });

  it('leave text that looks like JSON as it is where text is wanted', () => {
    const summary = '{"a": [1]}';
    const artifacts = [{ type: 'file_diff', path: '5', diff: '[1]' }];
    const metadata = { a: null, b: '5', c: '[1]' };
    const args = { to: 'ann@t', intent: 'inform', summary, artifacts, metadata };
    expect(read('handoff_to_teammate', args).input).toEqual(args);
  });
});
