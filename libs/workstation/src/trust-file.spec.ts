import { chmodSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { parse } from 'yaml';
import { TrustFile, type TrustPatch } from './trust-file';
import { WorkstationFileError } from './workstation-file-error';

let home: string;
let path: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'agentrelay-trust-'));
  path = join(home, 'trust.yaml');
});

function given(text: string): TrustFile {
  writeFileSync(path, text, { mode: 0o600 });
  return TrustFile.load(home);
}

function faultOf(act: () => unknown): WorkstationFileError {
  try {
    act();
  } catch (error) {
    if (error instanceof WorkstationFileError) return error;
    throw error;
  }
  throw new Error('nothing was wrong');
}

const FULL = `# my teammates
version: 1
team: acme # a member of mine
defaults:
  auto_read: true
  require_approval: [package.json]
teammates:
  # sits next to me
  Frank@Acme: # frontend
    auto_test: true
    auto_write_paths:
      # only these
      - apps/web/
      - docs # prose
    nickname: f
  # the new one
  grace@acme: {auto_read: false, auto_write_paths: [src]}
# who else writes
unknown_teammates:
  policy: ask # see docs
blocked:
  # spam
  - eve@acme # twice
  # worse
  - mal@acme

# the end
`;

describe('trust.yaml', () => {
  it('missing, or empty, trusts nobody with anything and asks', () => {
    const expected = {
      handle: 'frank@acme',
      known: false,
      blocked: false,
      policy: 'ask',
      autoRead: false,
      autoTest: false,
      autoWritePaths: [],
      requireApproval: [],
    };
    expect(TrustFile.load(home).trustOf('Frank@acme')).toEqual(expected);
    expect(given('').trustOf('frank@acme')).toEqual(expected);
    expect(given('# nothing yet\n').trustOf('frank@acme')).toEqual(expected);
  });

  it('gives each teammate what it says, handles in any case, defaults where it says nothing', () => {
    const trust = given(FULL);
    expect(trust.trustOf('FRANK@acme')).toEqual({
      handle: 'frank@acme',
      known: true,
      blocked: false,
      policy: 'ask',
      autoRead: true,
      autoTest: true,
      autoWritePaths: ['apps/web/', 'docs'],
      requireApproval: ['package.json'],
    });
    expect(trust.trustOf('grace@acme')).toMatchObject({ autoRead: false, autoTest: false, autoWritePaths: ['src'] });
    expect(trust.teammates().map(({ handle }) => handle)).toEqual(['frank@acme', 'grace@acme']);
    expect(trust.blocked()).toEqual(['eve@acme', 'mal@acme']);
  });

  it('asks about what the defaults name and about what a teammate’s own list names', () => {
    const trust = given(
      'defaults: {require_approval: [package.json]}\n' +
        'teammates: {frank@acme: {auto_write_paths: [docs, package.json], require_approval: [docs/legal]}}\n',
    );
    expect(trust.trustOf('frank@acme').requireApproval).toEqual(['package.json', 'docs/legal']);
    expect(trust.mayWrite('frank@acme', 'docs/a.md')).toBe(true);
    expect(trust.mayWrite('frank@acme', 'package.json')).toBe(false);
    expect(trust.mayWrite('frank@acme', 'docs/legal/a.md')).toBe(false);
  });

  it('names the members that change nothing, wherever they stand', () => {
    expect(given(FULL).unknownMembers()).toEqual(['team', 'teammates.frank@acme.nickname']);
    expect(given('version: 1\n').unknownMembers()).toEqual([]);
    const shared =
      'mine: &mine {auto_read: true}\nteammates: {a@acme: *mine}\nnotes: {version: 3, mail: me@acme.dev}\n';
    expect(given(shared).unknownMembers()).toEqual(['mine', 'notes']);
    expect(given(shared).trustOf('a@acme').autoRead).toBe(true);
  });

  it('gives the unknown its defaults only where the policy says so, and the blocked nothing', () => {
    const trust = given(
      'defaults: {auto_read: true, auto_write_paths: [src]}\nunknown_teammates: {policy: allow_with_default_trust}\n' +
        'teammates: {eve@acme: {auto_test: true}}\nblocked: [eve@acme]\n',
    );
    expect(trust.trustOf('new@acme')).toMatchObject({ known: false, autoRead: true, autoWritePaths: ['src'] });
    expect(trust.mayWrite('new@acme', 'src/a.ts')).toBe(false);
    expect(trust.trustOf('eve@acme')).toMatchObject({ blocked: true, autoRead: false, autoTest: false });
    expect(given('defaults: {auto_read: true}\n').trustOf('new@acme').autoRead).toBe(false);
  });

  it.each([
    ['teammates:\n  frank@acme: [\n', 3, 1],
    ['a: 1\na: 2\n', 2, 1],
    ['version: 2\n', 1, 10],
    ['- frank@acme\n', 1, 1],
    ['teammates:\n  frank@acme:\n    auto_read: yes\n', 3, 16],
    ['teammates:\n  frank@acme:\n    auto_write_paths: src\n', 3, 23],
    ['teammates:\n  frank@acme:\n    auto_write_paths: [src, 1]\n', 3, 29],
    ['teammates:\n  frank: {}\n', 2, 3],
    ['teammates:\n  frank@acme: {}\n  Frank@acme: {}\n', 3, 3],
    ['teammates:\n  frank@acme:\n    require_approval: [src, "src/**/*.sql"]\n', 3, 29],
    ['defaults:\n  require_approval: ["**"]\n', 2, 22],
    ['defaults:\n  require_approval:\n    - .\n', 3, 7],
    ['defaults: {require_approval: [/]}\n', 1, 31],
    ['defaults: {require_approval: [db\\migrations]}\n', 1, 31],
    ['defaults: {require_approval: [../x]}\n', 1, 31],
    ['defaults: {require_approval: ["src/{a,b}"]}\n', 1, 31],
    ['defaults: {require_approval: ["src/[ab]"]}\n', 1, 31],
    ['defaults: {require_approval: ["!docs"]}\n', 1, 31],
    ['defaults: {require_approval: [""]}\n', 1, 31],
    ['teammates:\n  frank@acme:\n    auto_write_paths: [docs, /etc]\n', 3, 30],
    ['unknown_teammates:\n  policy: trust\n', 2, 11],
    ['blocked: [eve]\n', 1, 11],
    ['blocked: *nobody\n', 1, 10],
    ['version: 1\n---\nblocked: [eve@acme]\n', 2, 1],
    ['version: 1\n...\nblocked: [eve@acme]\n', 3, 1],
    ['base: &base {auto_read: false}\nteammates:\n  frank@acme:\n    <<: *base\n', 4, 5],
    ['<<: {blocked: [eve@acme]}\n', 1, 1],
    ['notes: {"<<": {a: 1}}\n', 1, 9],
    ['%YAML 1.1\n---\nblocked: [eve@acme]\n', 1, 1],
    ['blocked: []\n"blocked": [eve@acme]\n', 2, 1],
    ['note: &key blocked\n*key : [eve@acme]\n', 2, 1],
    ['? [blocked]\n: [eve@acme]\n', 1, 3],
    ['1: x\n', 1, 1],
    ['teammates:\n  ? &f frank@acme\n  : {}\n  *f : {auto_read: true}\n', 4, 3],
    ['block: [eve@acme]\n', 1, 1],
    ['Blocked: [eve@acme]\n', 1, 1],
    ['blocklist: [eve@acme]\n', 1, 1],
    ['blo\u200bcked: [eve@acme]\n', 1, 1],
    ['bl\u043ecked: [eve@acme]\n', 1, 1],
    ['unknown_teamates: {policy: reject}\n', 1, 1],
    ['unknown_teammates: {polcy: reject}\n', 1, 21],
    ['policy: reject\n', 1, 1],
    ['unknown_teammates: {blocked: [eve@acme]}\n', 1, 21],
    ['defaults: {require_aproval: [src]}\n', 1, 12],
    ['defaults: {require-approval: [src]}\n', 1, 12],
    ['teammates:\n  a@acme: {auto_raed: true}\n', 2, 12],
    ['teammates:\n  a@acme: {blocked: true}\n', 2, 12],
    ['eve@acme: {auto_read: false}\n', 1, 1],
    ['t!x mates:\n  frank@acme:\n    auto_read: true\n  blocked:\n  - eve@acme\n', 2, 3],
    ['notes:\n  - mine: {Blocked: [eve@acme]}\n', 2, 12],
    ['blocked:\nte!!set mmates:\n  - eve@acme\n', 3, 5],
    ['notes: {eve@acme: {}}\n', 1, 9],
    ['notes: &notes\n  blocked: [eve@acme]\n', 2, 3],
    ['# mine\u2028blocked: [eve@acme]\n', 1, 7],
    ['# mine\rblocked: [eve@acme]\n', 1, 7],
    ['# \u202eblocked: [eve@acme]\n', 1, 3],
    ['blocked: !mine [eve@acme]\n', 1, 10],
    ['teammates: !!js/function x\n', 1, 12],
  ])('that cannot be read is refused with its place and left as it is: %j', (text, line, column) => {
    const { message, ...fault } = faultOf(() => given(text));
    expect(fault).toMatchObject({ path, line, column });
    expect(message).toContain(`${path}, line ${line}, column ${column}: `);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('that is not UTF-8, or too large to be written by hand, is refused; a byte order mark is read over', () => {
    writeFileSync(path, Buffer.from('\ufeffblocked: [eve@acme]\n', 'utf16le'), { mode: 0o600 });
    expect(faultOf(() => TrustFile.load(home)).message).toBe(`${path}: is not UTF-8; save it as UTF-8.`);
    writeFileSync(path, `# ${'x'.repeat(1_048_576)}\n`, { mode: 0o600 });
    expect(faultOf(() => TrustFile.load(home)).message).toContain(`${path}: is larger than 1 MiB`);
    expect(given('\ufeffblocked: [eve@acme]\n').blocked()).toEqual(['eve@acme']);
  });

  it('that others may change is refused', () => {
    writeFileSync(path, FULL);
    chmodSync(path, 0o666);
    expect(faultOf(() => TrustFile.load(home)).message).toContain(`chmod 600 ${path}`);
  });

  it('keeps what the user wrote around an edit', () => {
    const trust = given(FULL);
    trust.set('frank@acme', { autoTest: false, autoWritePaths: ['docs', 'README.md'] });
    trust.reset('grace@acme');
    trust.unblock('eve@acme');
    trust.block('Noah@acme');
    trust.save();
    expect(readFileSync(path, 'utf8')).toBe(`# my teammates
version: 1
team: acme # a member of mine
defaults:
  auto_read: true
  require_approval: [package.json]
teammates:
  # sits next to me
  Frank@Acme:
    # frontend
    auto_test: false
    auto_write_paths:
      # only these
      - docs # prose
      - README.md
    nickname: f
  # the new one
# who else writes
unknown_teammates:
  policy: ask # see docs
blocked:
  # spam
  # twice
  # worse
  - mal@acme
  - noah@acme

# the end
`);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('is made when the first teammate is trusted', () => {
    const trust = TrustFile.load(home);
    trust.set('frank@acme', { autoRead: true, autoWritePaths: ['docs'] });
    trust.save();
    expect(readFileSync(path, 'utf8')).toBe(
      'version: 1\nteammates:\n  frank@acme:\n    auto_read: true\n    auto_write_paths:\n      - docs\n',
    );
  });

  it('is not written when nothing changed', () => {
    const odd = 'version:   1\nblocked: [ eve@acme ]\nteammates: {frank@acme:   {auto_read: true}}';
    const trust = given(odd);
    chmodSync(path, 0o400);
    trust.block('eve@acme');
    trust.unblock('mal@acme');
    trust.set('frank@acme', { autoRead: true });
    trust.reset('grace@acme');
    trust.save();
    expect(readFileSync(path, 'utf8')).toBe(odd);
  });

  it('is not written over what somebody else wrote meanwhile', () => {
    const trust = given(FULL);
    trust.block('noah@acme');
    writeFileSync(path, 'version: 1\n');
    expect(faultOf(() => trust.save()).message).toContain('meanwhile');
    expect(readFileSync(path, 'utf8')).toBe('version: 1\n');
  });

  it('says so when it is read-only', () => {
    const trust = given(FULL);
    chmodSync(path, 0o400);
    trust.block('noah@acme');
    expect(faultOf(() => trust.save()).message).toContain(`chmod u+w ${path}`);
    expect(readFileSync(path, 'utf8')).toBe(FULL);
    expect(readdirSync(home)).toEqual(['trust.yaml']);
  });

  it('stays a symbolic link where it is one', () => {
    const target = join(mkdtempSync(join(tmpdir(), 'agentrelay-dotfiles-')), 'trust.yaml');
    writeFileSync(target, FULL, { mode: 0o600 });
    symlinkSync(target, path);
    const trust = TrustFile.load(home);
    trust.unblock('mal@acme');
    trust.save();
    expect(readFileSync(target, 'utf8')).toBe(trust.toString());
    expect(TrustFile.load(home).blocked()).toEqual(['eve@acme']);
  });

  it('edits an alias without changing what it stands for', () => {
    const trust = given('teammates:\n  a@acme: &a {auto_read: true}\n  b@acme: *a\n');
    trust.set('b@acme', { autoRead: false });
    trust.save();
    expect(parse(readFileSync(path, 'utf8'))).toEqual({
      teammates: { 'a@acme': { auto_read: true }, 'b@acme': { auto_read: false } },
    });
  });
});

const handle = fc.constantFrom('frank@acme', 'grace@acme', 'eve@acme', 'Mal@acme', 'noah@acme');
const paths = fc.array(fc.constantFrom('src', 'docs/', 'a b', '#odd', '- z', "it's"), { maxLength: 3 });
const patch: fc.Arbitrary<TrustPatch> = fc.record(
  { autoRead: fc.boolean(), autoTest: fc.boolean(), autoWritePaths: paths, requireApproval: paths },
  { requiredKeys: [] },
);
const edit = fc.oneof(
  fc.tuple(fc.constant('set' as const), handle, patch),
  fc.tuple(fc.constantFrom('reset' as const, 'block' as const, 'unblock' as const), handle),
);

/** What is read of an edit: to what it always asks about, the defaults of `FULL` add theirs. */
function merged(change: TrustPatch): TrustPatch {
  const { requireApproval } = change;
  return {
    ...change,
    ...(requireApproval && { requireApproval: ['package.json', ...new Set(requireApproval)] }),
  };
}

describe('any sequence of edits', () => {
  it('keeps every comment and every member that is not ours, and is read back as it was meant', () => {
    fc.assert(
      fc.property(fc.array(edit, { maxLength: 12 }), fc.boolean(), (edits, windows) => {
        const trust = given(windows ? FULL.replaceAll('\n', '\r\n') : FULL);
        for (const [act, who, change] of edits) {
          if (act === 'set') trust.set(who, change);
          else trust[act](who);
          if (act === 'set')
            expect(trust.trustOf(who)).toMatchObject({
              known: true,
              ...(!trust.trustOf(who).blocked && merged(change)),
            });
          else
            expect(trust.trustOf(who)).toMatchObject(act === 'reset' ? { known: false } : { blocked: act === 'block' });
        }
        trust.save();
        const read = TrustFile.load(home);
        expect([read.teammates(), read.blocked()]).toEqual([trust.teammates(), trust.blocked()]);
        const text = readFileSync(path, 'utf8');
        const comments = FULL.match(/# .*$/gm) ?? [];
        expect(comments).toHaveLength(13);
        for (const comment of comments) expect(text.split(comment)).toHaveLength(2);
        expect(parse(text)).toMatchObject({ version: 1, team: 'acme', unknown_teammates: { policy: 'ask' } });
        const reset = edits.some(([act, who]) => act === 'reset' && who === 'frank@acme');
        if (!reset) expect(text).toContain('    nickname: f');
        expect(/(^|[^\r])\n/.test(text)).toBe(!windows);
      }),
      { numRuns: 100 },
    );
  });
});

/** What a hand that slips, or a file that was merged or copied, puts into a text. */
const SLIPS = [
  '\n---\n', '\n...\n', '<<: ', '*a ', '&a ', '!!set ', '!x ', '%YAML 1.1\n', '? ', ': ', '- ', '  ', '\t', '\n', '\r', '\u2028', '\u0085',
  '\u200b', '\u202e', '\ufeff', '"', "'", '{', '}', '[', ']', ',', '|', '>', '~', 'null', 'x', 'E', 'B', '\nblocked: []\n', '\nteammates:\n',
]; // prettier-ignore

/** How often the two words stand in a text that make the block of the next test. */
function words(text: string): number {
  return text.split(/blocked|eve@acme/).length - 1;
}

describe('a block, whatever happens to the text around it', () => {
  const LIST = 'version: 1\nteammates:\n  frank@acme:\n    auto_read: true\nblocked:\n  - eve@acme\n';
  const FLOW = 'unknown_teammates: {policy: ask}\nblocked: [mal@acme, eve@acme]\ndefaults:\n  auto_test: true\n';

  it('is in force, or the file is refused with its place', () => {
    const where = fc.nat(100);
    const slip = fc.tuple(where, fc.constantFrom(...SLIPS), fc.nat(3));
    let refused = 0;
    fc.assert(
      fc.property(fc.constantFrom(LIST, FLOW), fc.array(slip, { minLength: 1, maxLength: 3 }), (source, slips) => {
        let text: string = source;
        for (const [at, added, removed] of slips) {
          const place = at % (text.length + 1);
          const next = text.slice(0, place) + added + text.slice(place + removed);
          if (words(next) === words(text) + words(added)) text = next;
        }
        // What stands in quotes or a text of several lines is no block to any reader, nor what nobody is sure to see.
        if (/["'|>]|eve@acme[\w.-]|[\w.-]eve@acme/.test(text)) return;
        try {
          expect(given(text).trustOf('eve@acme').blocked).toBe(true);
        } catch (error) {
          if (!(error instanceof WorkstationFileError)) throw error;
          expect(error).toMatchObject({
            path,
            line: expect.any(Number) as number,
            column: expect.any(Number) as number,
          });
          refused++;
        }
      }),
      { numRuns: 3_000 },
    );
    expect(refused).toBeGreaterThan(500);
  });
});

describe('a path that a handoff names', () => {
  const trust = (): TrustFile =>
    given(
      'teammates:\n  frank@acme:\n    auto_write_paths: [apps/web/, docs]\n    require_approval: [apps/web/auth]\n',
    );

  it.each(['apps/web/a.ts', './apps//web/./b/c.ts', 'docs', 'docs/é.md'])(
    'may be written when it is listed: %s',
    (asked) => {
      expect(trust().mayWrite('Frank@acme', asked)).toBe(true);
    },
  );

  it.each([
    'apps/web/../../x', '../up/x', '/etc/passwd', '/docs/x', 'docs/..', 'docs\\..\\x', 'C:/docs/x', 'docs:stream', '~/docs',
    'docs/x\u0000', 'docs/x\n', 'docs/\u200bx', 'docs\u202e/x', 'docs./x', 'docs/x ', 'docsx/y', 'Docs/x', '', '.', '/', 'x',
    'apps/web/auth', 'apps/web/AUTH/login.ts', 'apps/web/ａuth/x', 'apps/web/AUTH~1/x', 'apps/web/auth./x',
  ])('may not be written when it is not listed or is spelt to deceive: %j', (asked) => {
    expect(trust().mayWrite('frank@acme', asked)).toBe(false);
  }); // prettier-ignore

  it('is never outside the listed ones, whatever it is made of', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        '..',
        '.',
        '',
        '/',
        '\\',
        'docs',
        'apps',
        'web',
        'auth',
        'AUTH',
        '~',
        'C:',
        '\u0000',
        '%2e%2e',
        '．．',
        '\u2024.',
      ),
      fc.string({ unit: 'binary', maxLength: 4 }),
    );
    const file = trust();
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.constantFrom('/', '', '\\'), (pieces, separator) => {
        const asked = pieces.join(separator);
        if (!file.mayWrite('frank@acme', asked)) return;
        expect(asked).not.toMatch(/\\|(^|\/)\.\.(\/|$)/);
        const real = join('/project', asked);
        expect(real).toMatch(/^\/project\/(apps\/web|docs)(\/|$)/);
        expect(real.toLowerCase()).not.toMatch(/^\/project\/apps\/web\/auth(\/|$)/);
      }),
      { numRuns: 5_000 },
    );
    expect(file.mayWrite('grace@acme', 'docs/x')).toBe(false);
  });
});
