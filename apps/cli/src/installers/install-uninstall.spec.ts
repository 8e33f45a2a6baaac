import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { type ParseError, parse as parseJsonc } from 'jsonc-parser';
import { parse as parseToml } from 'smol-toml';
import { ALL_CLIENTS, carryOut, type Client, type ClientSetup, planInstall, planUninstall } from '.';

const ENTRY = { command: '/opt/node/bin/node', args: ['/opt/agentrelay/main.js', 'mcp'], env: {} };

let userHome: string;
beforeEach(() => (userHome = mkdtempSync(join(tmpdir(), 'agentrelay-install-'))));
afterEach(() => rmSync(userHome, { recursive: true }));

function setup(changes: Partial<ClientSetup> = {}): ClientSetup {
  return {
    userHome,
    environment: {},
    folder: userHome,
    agentRelayHome: join(userHome, '.agentrelay'),
    entry: ENTRY,
    rules: true,
    force: false,
    ...changes,
  };
}

function install(client: Client, changes: Partial<ClientSetup> = {}): void {
  carryOut(planInstall(client, setup(changes)), setup().agentRelayHome, [], () => undefined);
}

function uninstall(client: Client): void {
  carryOut(planUninstall(client, setup()), setup().agentRelayHome, [], () => undefined);
}

function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function read(path: string): string | undefined {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function filesOf(client: Client): string[] {
  return client.files(setup()).map(({ path }) => path);
}

/** Whether a file is install's alone. */
function isOurs(path: string): boolean {
  return /[/](rules|policies)[/]agentrelay/.test(path);
}

/** A file with each of its parts parsed, whatever its format. */
function parsed(path: string, content: string): unknown {
  if (path.endsWith('.toml')) return parseToml(content, { integersAsBigInt: true });
  if (isOurs(path)) return content;
  const errors: ParseError[] = [];
  const value: unknown = parseJsonc(content, errors, { allowTrailingComma: true, allowEmptyContent: true }) ?? {};
  expect(errors).toEqual([]);
  return value;
}

/* Configurations as people have them: unknown keys, comments in odd places, any indentation and line ends. */

const name = fc.constantFrom(
  'theme',
  'mcpServers',
  'permissions',
  'allow',
  'ask',
  'deny',
  'hooks',
  'other',
  'x y',
  'é"\\',
);
const scalar = fc.oneof(
  fc.string({ maxLength: 12 }).map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '1',
    '-2.5e3',
    'true',
    'null',
    '"Bash(ls *)"',
    '"mcp__agentrelay__check_inbox"',
    '"// no comment"',
    '"{"',
  ),
);
const trivia = fc.constantFrom('', ' ', '\n', '\n  ', '\t', ' /* a, b */ ', ' // c: }\n', '\n    // d\n    ', '/**/');

/** Text of a value; where the clients keep something of a certain type, that type. */
function jsonText(depth: number): fc.Arbitrary<string> {
  if (depth === 0) return scalar;
  const list = fc
    .tuple(fc.array(fc.tuple(trivia, scalar, trivia), { maxLength: 3 }), fc.boolean(), trivia)
    .map(join_('[', ']'));
  return fc.oneof(
    { weight: 1, arbitrary: scalar },
    { weight: 1, arbitrary: list },
    { weight: 3, arbitrary: objectText(depth) },
  );
}

function objectText(depth: number): fc.Arbitrary<string> {
  if (depth === 0) return fc.constantFrom('{}', '{ }', '{"a": 1}');
  const member = fc.tuple(name, trivia, trivia).chain(([key, before, between]) =>
    valueFor(key, depth).map((value) => ({
      key,
      text: [before, `${JSON.stringify(key)}${between}:${value}`, before] as [string, string, string],
    })),
  );
  return fc
    .tuple(fc.uniqueArray(member, { maxLength: 4, selector: ({ key }) => key }), fc.boolean(), trivia)
    .map(([members, trailing, end]) => join_('{', '}')([members.map(({ text }) => text), trailing, end]));
}

function valueFor(key: string, depth: number): fc.Arbitrary<string> {
  if (key === 'mcpServers' || key === 'permissions') return objectText(depth - 1);
  if (['allow', 'ask', 'deny'].includes(key)) {
    return fc
      .tuple(fc.array(fc.tuple(trivia, scalar, trivia), { maxLength: 3 }), fc.boolean(), trivia)
      .map(join_('[', ']'));
  }
  return jsonText(depth - 1);
}

function join_(open: string, close: string) {
  return ([items, trailing, end]: [[string, string, string][], boolean, string]): string => {
    const comma = trailing && items.length > 0 ? ',' : '';
    return `${open}${items.map((item) => item.join('')).join(',')}${comma}${end}${close}`;
  };
}

const ending = fc.constantFrom(
  (text: string) => text,
  (text: string) => text.replaceAll('\n', '\r\n'),
  (text: string) => `\ufeff${text}`,
);
const indented = fc
  .tuple(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(2, 4, '\t', 0))
  .filter(([value]) => typeof value === 'object' && value !== null && !Array.isArray(value))
  .map(([value, indent]) => `${JSON.stringify(value, null, indent)}\n`);
const jsonFile = fc
  .tuple(
    fc.oneof(
      fc.tuple(trivia, objectText(3), trivia).map((parts) => parts.join('')),
      indented,
      fc.constantFrom('', '\n', '{}', '// nothing yet'),
    ),
    ending,
  )
  .map(([text, end]) => end(text));

const tomlLine = fc.constantFrom(
  'model = "gpt"  # mine',
  '# [mcp_servers.agentrelay]',
  '',
  'notes = """\n[mcp_servers.agentrelay]\ncommand = "no"\n"""',
  'big = 9223372036854775807',
  'list = [\n  "a", # b\n]',
  "raw = 'C:\\dir'",
  'when = 2026-05-01T09:00:00Z',
);
const tomlTable = fc.constantFrom(
  '[mcp_servers.docs]\ncommand = "d"',
  '[mcp_servers."a b".env]\nX = "1"',
  '[[profiles]]\nname = "p"',
  '[tui]',
  '[ mcp_servers . "other" ]\nargs = [["x"],\n  ["y"]\n]',
);
const tomlFile = fc
  .tuple(
    fc.uniqueArray(tomlLine, { maxLength: 5 }),
    fc.uniqueArray(tomlTable, { maxLength: 3 }),
    fc.constantFrom('\n', '\n\n', ''),
    ending,
  )
  .map(([lines, tables, last, end]) => end([...lines, ...tables].join('\n') + last));

const fileFor = (path: string): fc.Arbitrary<string | undefined> => {
  if (isOurs(path)) return fc.constant(undefined);
  return fc.option(path.endsWith('.toml') ? tomlFile : jsonFile, { nil: undefined, freq: 6 });
};

/** Files are really written and flushed, so that a run takes a while. */
const RUNS = 20;

describe.each(ALL_CLIENTS)('installing for $title', (client) => {
  const paths = (): string[] => filesOf(client);
  const given = fc
    .tuple(fc.constant(null), fc.noShrink(fc.constant(null)))
    .chain(() => fc.tuple(...paths().map(fileFor)));

  function place(contents: readonly (string | undefined)[]): void {
    paths().forEach((path, index) => {
      rmSync(path, { force: true });
      const content = contents[index];
      if (content !== undefined) write(path, content);
    });
    rmSync(join(userHome, '.agentrelay'), { recursive: true, force: true });
  }

  it('and uninstalling gives every byte of the user’s files back', () => {
    fc.assert(
      fc.property(given, (contents) => {
        place(contents);
        install(client);
        uninstall(client);
        expect(paths().map(read)).toEqual(contents);
      }),
      { numRuns: RUNS },
    );
  });

  it('twice changes nothing the second time', () => {
    fc.assert(
      fc.property(given, (contents) => {
        place(contents);
        install(client);
        const after = paths().map(read);
        expect(planInstall(client, setup()).changes).toEqual([]);
        install(client);
        expect(paths().map(read)).toEqual(after);
      }),
      { numRuns: RUNS },
    );
  });

  it('keeps every value and every line of the user’s, and adds a working entry', () => {
    fc.assert(
      fc.property(given, (contents) => {
        place(contents);
        install(client);
        expect(client.entryIn(setup())).toMatchObject(ENTRY);
        paths().forEach((path, index) => {
          const [before = '', after = ''] = [contents[index], read(path)];
          expect(isSubsequence(before, after)).toBe(true);
          if (before.trim() !== '')
            expect(parsed(path, unmarked(after))).toEqual(extended(parsed(path, unmarked(before))));
        });
      }),
      { numRuns: RUNS },
    );
  });

  it('and uninstalling after somebody else rewrote the files keeps what they wrote', () => {
    fc.assert(
      fc.property(given, (contents) => {
        place(contents);
        install(client);
        for (const path of paths()) {
          const content = read(path);
          if (content !== undefined)
            write(path, content.replaceAll('\r\n', '\n') + (path.endsWith('.json') ? '\n' : '# added\n'));
        }
        uninstall(client);
        expect(client.entryIn(setup())).toBeUndefined();
        paths().forEach((path, index) => {
          const before = unmarked(contents[index] ?? '');
          const after = read(path);
          if (before.trim() === '' || isOurs(path)) return;
          expect(parsed(path, unmarked(after ?? ''))).toEqual(parsed(path, before.replaceAll('\r\n', '\n')));
          for (const comment of before.match(/\/\*.*?\*\/|# \S+/g) ?? []) expect(after).toContain(comment);
        });
      }),
      { numRuns: RUNS },
    );
  });
});

function unmarked(text: string): string {
  return text.replace(/^\ufeff/, '');
}

/** Whether `after` is `before` with insertions. */
function isSubsequence(before: string, after: string): boolean {
  let at = 0;
  for (const character of after) if (character === before[at]) at++;
  return at >= before.length;
}

/** A matcher for a value that holds everything that `before` holds, and maybe more. */
function extended(before: unknown): unknown {
  if (Array.isArray(before)) return expect.arrayContaining(before) as unknown;
  if (typeof before !== 'object' || before === null || before instanceof Date) return before;
  return expect.objectContaining(
    Object.fromEntries(Object.entries(before).map(([key, value]) => [key, extended(value)])),
  ) as unknown;
}
