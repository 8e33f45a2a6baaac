import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_LIMITS } from '@agentrelay/protocol';
import { type Environment, formerNamesGiven, InvalidSettingsError, readSettings } from './environment';
import { ADJUSTABLE_LIMITS, type AdjustableLimit, limitSetting } from './limit-settings';

const PEPPER = 'k9Zf2Lw7Qm4Xv8Tr1Bn6Hs3Jd5Gc0Yp+';
const TOKEN = 'Wq8nR4tZ1xC6vB3mK7jH2gF5dS9aP0oL';
const GOOD = {
  RELAY_ENV: 'production',
  DATABASE_URL: 'postgres://relay@db/relay',
  RELAY_KEY_PEPPERS: `p1:${PEPPER}`,
  RELAY_ADMIN_TOKEN: TOKEN,
  RELAY_PUBLIC_URL: 'https://relay.acme.example',
};

function faultsOf(environment: Environment): string[] {
  try {
    readSettings(environment);
  } catch (error) {
    if (error instanceof InvalidSettingsError) return error.faults;
    throw error;
  }
  return [];
}

describe('a setting under its former name', () => {
  const former = { ...GOOD, RELAY_LIMIT_WAITERS_PER_KEY: '3' };

  it('is read, with a warning that tells the name it has now', () => {
    expect(readSettings(former)).toMatchObject({ RELAY_LIMIT_WAITERS_PER_AGENT: 3 });
    expect(formerNamesGiven(former)).toEqual([
      'RELAY_LIMIT_WAITERS_PER_KEY is now called RELAY_LIMIT_WAITERS_PER_AGENT; the next version will not read the old name.',
    ]);
    expect(formerNamesGiven(GOOD)).toEqual([]);
  });

  it('yields to the same setting under its own name', () => {
    expect(readSettings({ ...former, RELAY_LIMIT_WAITERS_PER_AGENT: '4' })).toMatchObject({
      RELAY_LIMIT_WAITERS_PER_AGENT: 4,
    });
  });
});

describe('readSettings', () => {
  it('reads what is given and fills in the defaults', () => {
    const peppers = `p1:${PEPPER},p0:with:colons-${PEPPER}`;
    expect(
      readSettings({ ...GOOD, RELAY_KEY_PEPPERS: peppers, RELAY_PUBLIC_URL: 'https://relay.acme.example/x//' }),
    ).toMatchObject({
      RELAY_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: 8080,
      DATABASE_URL: 'postgres://relay@db/relay',
      DATABASE_POOL_SIZE: 20,
      RELAY_MIGRATE_ON_START: true,
      RELAY_PUBLIC_URL: 'https://relay.acme.example/x',
      RELAY_ADMIN_TOKEN: TOKEN,
      RELAY_KEY_PEPPERS: [
        { name: 'p1', secret: PEPPER },
        { name: 'p0', secret: `with:colons-${PEPPER}` },
      ],
      RELAY_SHUTDOWN_DELAY_MS: 0,
      LOG_LEVEL: 'info',
    });
  });

  it('gives every limit its documented default', () => {
    const settings = Object.entries(readSettings(GOOD)).filter(([name]) => name.startsWith('RELAY_LIMIT_'));
    const limits = Object.keys(ADJUSTABLE_LIMITS) as AdjustableLimit[];
    expect(Object.fromEntries(settings)).toEqual(
      Object.fromEntries(limits.map((limit) => [limitSetting(limit), DEFAULT_LIMITS[limit]])),
    );
  });

  it('is production unless told otherwise', () => {
    const { RELAY_ENV: _, ...rest } = GOOD;
    expect(readSettings(rest).RELAY_ENV).toBe('production');
  });

  it('takes an empty variable for unset and ignores foreign ones', () => {
    expect(readSettings({ ...GOOD, PORT: '', RELAY_TEAM: '', PATH: '/bin' })).toMatchObject({ PORT: 8080 });
    expect(readSettings({ ...GOOD, RELAY_TEAM: '' }).RELAY_TEAM).toBeUndefined();
  });

  it('tells all faults at once, and no secret', () => {
    const faults = faultsOf({
      RELAY_ENV: 'staging',
      PORT: '70000',
      DATABASE_POOL_SIZE: '0',
      RELAY_MIGRATE_ON_START: 'yes',
      RELAY_TEAM: 'a b',
      RELAY_PUBLIC_URL: 'ftp://x',
      RELAY_ADMIN_TOKEN: 'short-secret',
      RELAY_ADMIN_TOKENS: 'ops:short-secret',
      RELAY_SHUTDOWN_DELAY_MS: '1.5',
      LOG_LEVEL: 'loud',
    });
    expect(faults.map((fault) => fault.split(/[: ]/, 1)[0]).sort()).toEqual([
      'DATABASE_POOL_SIZE',
      'DATABASE_URL',
      'LOG_LEVEL',
      'PORT',
      'RELAY_ADMIN_TOKEN',
      'RELAY_ADMIN_TOKENS',
      'RELAY_ENV',
      'RELAY_KEY_PEPPERS',
      'RELAY_MIGRATE_ON_START',
      'RELAY_PUBLIC_URL',
      'RELAY_SHUTDOWN_DELAY_MS',
      'RELAY_TEAM',
    ]);
    expect(faults).toEqual(expect.arrayContaining(['DATABASE_URL is required', 'RELAY_KEY_PEPPERS is required']));
    expect(faults.join()).not.toContain('short-secret');
  });

  it.each(['-acme', '__proto__', '..'])('refuses the team %s, of which no handle could be', (RELAY_TEAM) => {
    expect(faultsOf({ ...GOOD, RELAY_TEAM })).toEqual(['RELAY_TEAM: is not a name that a team can have in a handle']);
  });

  it.each(['mysql://db/relay', 'db/relay'])('refuses the database %s', (DATABASE_URL) => {
    expect(faultsOf({ ...GOOD, DATABASE_URL })).toEqual(['DATABASE_URL: must be a postgres:// URL']);
  });

  it.each(['p1', `p1:${'x'.repeat(31)}`, `:${PEPPER}`, ',', `p1:${PEPPER},p2`, `a b:${PEPPER}`])(
    'refuses the peppers %p',
    (RELAY_KEY_PEPPERS) => {
      expect(faultsOf({ ...GOOD, RELAY_KEY_PEPPERS })).toEqual([
        'RELAY_KEY_PEPPERS: must be name:secret entries separated by commas, each secret at least 32 characters without white space',
      ]);
    },
  );
});

describe('white space', () => {
  it('around a value, and around each entry of a list, is left out', () => {
    const settings = readSettings({
      ...GOOD,
      RELAY_ADMIN_TOKEN: ` ${TOKEN}\n`,
      RELAY_ADMIN_TOKENS: `a:${TOKEN}a, b:${TOKEN}b`,
      RELAY_KEY_PEPPERS: `p1:${PEPPER} `,
      RELAY_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8,\tfd00::/8 ',
      PORT: ' 8081\r\n',
      RELAY_TEAM: ' \t',
    });
    expect(settings).toMatchObject({
      RELAY_ADMIN_TOKEN: TOKEN,
      RELAY_ADMIN_TOKENS: [
        { name: 'a', secret: `${TOKEN}a` },
        { name: 'b', secret: `${TOKEN}b` },
      ],
      RELAY_KEY_PEPPERS: [{ name: 'p1', secret: PEPPER }],
      RELAY_TRUSTED_PROXIES: ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'],
      PORT: 8081,
    });
    expect(settings.RELAY_TEAM).toBeUndefined();
  });

  it('inside a secret is refused by name, with everything else that is wrong', () => {
    const faults = faultsOf({
      ...GOOD,
      RELAY_ADMIN_TOKEN: `${TOKEN} ${TOKEN}`,
      RELAY_KEY_PEPPERS: `p1:${PEPPER} ${PEPPER}`,
      RELAY_TRUSTED_PROXIES: 'nginx, 10.0.0.0/33, 10.0.0.1, 1.2.3, loopback',
      LOG_LEVEL: 'loud',
    });
    expect(faults.map((fault) => fault.split(':', 1)[0]).sort()).toEqual([
      'LOG_LEVEL',
      'RELAY_ADMIN_TOKEN',
      'RELAY_KEY_PEPPERS',
      'RELAY_TRUSTED_PROXIES',
    ]);
    expect(faults).toContain(
      'RELAY_TRUSTED_PROXIES: must be IP addresses or CIDR ranges separated by commas; "nginx", "10.0.0.0/33", "1.2.3" is none',
    );
  });
});

describe('a setting from a file', () => {
  const directory = mkdtempSync(join(tmpdir(), 'settings-'));
  const file = join(directory, 'secret');
  beforeAll(() => writeFileSync(file, `\n ${TOKEN}\n`));
  afterAll(() => rmSync(directory, { recursive: true }));

  it('is its trimmed content, for secrets', () => {
    const { RELAY_ADMIN_TOKEN: _, ...rest } = GOOD;
    expect(readSettings({ ...rest, RELAY_ADMIN_TOKEN_FILE: file }).RELAY_ADMIN_TOKEN).toBe(TOKEN);
    expect(readSettings({ ...GOOD, RELAY_ADMIN_TOKEN: '', RELAY_ADMIN_TOKEN_FILE: file }).RELAY_ADMIN_TOKEN).toBe(
      TOKEN,
    );
  });

  it('is not read for what is no secret', () => {
    expect(readSettings({ ...GOOD, PORT_FILE: file, HOST_FILE: '/nowhere' })).toMatchObject({ PORT: 8080 });
  });

  it('must not be given twice, and must be there', () => {
    expect(faultsOf({ ...GOOD, RELAY_ADMIN_TOKEN_FILE: file })).toContain(
      'RELAY_ADMIN_TOKEN and RELAY_ADMIN_TOKEN_FILE are both set; keep one',
    );
    expect(faultsOf({ ...GOOD, DATABASE_URL: undefined, DATABASE_URL_FILE: join(directory, 'none') })).toContain(
      'DATABASE_URL_FILE names a file that cannot be read (ENOENT)',
    );
  });
});

describe('limits', () => {
  it('hold only together: an answer has room for what two requests bring', () => {
    const limits = { RELAY_LIMIT_BODY_BYTES: '5000000', RELAY_LIMIT_ANSWER_BYTES: '9999999' };
    expect(faultsOf({ ...GOOD, ...limits })).toEqual([
      'RELAY_LIMIT_ANSWER_BYTES is 9999999 and must be at least twice RELAY_LIMIT_BODY_BYTES, which is 5000000: an answer has to hold what one request brought',
    ]);
    expect(faultsOf({ ...GOOD, ...limits, RELAY_LIMIT_ANSWER_BYTES: '10000000' })).toEqual([]);
    expect(faultsOf({ ...GOOD, RELAY_LIMIT_ANSWERS_IN_FLIGHT_BYTES: '16777215' })).toEqual([
      'RELAY_LIMIT_ANSWERS_IN_FLIGHT_BYTES is 16777215 and must be at least twice RELAY_LIMIT_ANSWER_BYTES, which is 8388608: half of it has to hold one answer',
    ]);
  });
});

describe('production', () => {
  it.each([
    ['RELAY_ADMIN_TOKEN', 'change-me-change-me-change-me-change-me'],
    ['RELAY_ADMIN_TOKEN', 'example-token-of-at-least-32-characters'],
    ['RELAY_ADMIN_TOKEN', 'x'.repeat(32)],
    ['RELAY_ADMIN_TOKENS', `ops:placeholder-${TOKEN}`],
    ['RELAY_KEY_PEPPERS', `p1:${PEPPER},p0:changeme-${PEPPER}`],
  ])('refuses an example as %s: %s', (name, value) => {
    const environment = { ...GOOD, [name]: value };
    expect(faultsOf(environment)).toEqual([`${name} holds an example; make a secret of your own`]);
    expect(faultsOf({ ...environment, RELAY_ENV: 'development' })).toEqual([]);
  });

  it.each([
    ['RELAY_ADMIN_TOKEN', 'abcdefghijklmnopqrstuvwxyzabcdef'],
    ['RELAY_ADMIN_TOKEN', '83649201746502938475610293847561'],
    ['RELAY_ADMIN_TOKEN', 'abcdefghijklmnopqrstuvwxyz0123456789'],
    ['RELAY_KEY_PEPPERS', 'p1:9876543210-ZYXWVUTSRQPONMLKJIHGFEDCBA'],
    ['RELAY_ADMIN_TOKENS', 'ops:Secret-secret-SECRET-secret-1234'],
    ['RELAY_ADMIN_TOKENS', 'ops:correct-horse-battery-correct-horse-battery'],
    ['RELAY_KEY_PEPPERS', 'p1:aB1aB1aB1aB1aB1aB1aB1aB1aB1aB1aB'],
  ])('refuses %s when it can be guessed: %s', (name, value) => {
    const environment = { ...GOOD, [name]: value };
    const [fault, ...others] = faultsOf(environment);
    expect(fault).toContain(`${name} holds a secret that can be guessed`);
    expect(others).toEqual([]);
    expect(fault).not.toContain(value.slice(-20));
    expect(faultsOf({ ...environment, RELAY_ENV: 'development' })).toEqual([]);
  });

  it('takes what is made at random, in hex or base64', () => {
    for (let n = 0; n < 200; n++) {
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        expect(faultsOf({ ...GOOD, RELAY_ADMIN_TOKEN: randomBytes(32).toString(encoding) })).toEqual([]);
      }
    }
  });

  it('refuses one secret for two uses, and two administrators or peppers of one name', () => {
    expect(faultsOf({ ...GOOD, RELAY_KEY_PEPPERS: `p1:${TOKEN}` })).toEqual([
      'RELAY_ADMIN_TOKEN and RELAY_KEY_PEPPERS hold the same secret; make one for each',
    ]);
    expect(faultsOf({ ...GOOD, DATABASE_URL: `postgres://relay:${TOKEN}@db/relay` })).toEqual([
      'RELAY_ADMIN_TOKEN and DATABASE_URL hold the same secret; make one for each',
    ]);
    expect(faultsOf({ ...GOOD, RELAY_ADMIN_TOKENS: `ops:${TOKEN}x,eve:${TOKEN}x` })).toEqual([
      'RELAY_ADMIN_TOKENS holds one secret twice; make one for each',
    ]);
    expect(faultsOf({ ...GOOD, RELAY_ADMIN_TOKENS: `Admin:${TOKEN}x` })).toEqual([
      'RELAY_ADMIN_TOKENS gives two administrators the name Admin: what they do could not be told apart',
    ]);
    expect(faultsOf({ ...GOOD, RELAY_KEY_PEPPERS: `p1:${PEPPER},p1:${PEPPER}x` })).toEqual([
      'RELAY_KEY_PEPPERS gives two peppers the name p1: only the first would be used',
    ]);
  });

  it('refuses a public address over plain HTTP, unless it is loopback or that is allowed', () => {
    for (const RELAY_PUBLIC_URL of [
      'http://relay.acme.example',
      'http://10.0.0.1:8080',
      'http://127.0.0.1.evil.example',
    ]) {
      expect(faultsOf({ ...GOOD, RELAY_PUBLIC_URL })).toEqual([
        expect.stringMatching(/^RELAY_PUBLIC_URL begins with http:\/\/.*RELAY_ALLOW_HTTP=true/),
      ]);
      expect(faultsOf({ ...GOOD, RELAY_PUBLIC_URL, RELAY_ALLOW_HTTP: 'true' })).toEqual([]);
      expect(faultsOf({ ...GOOD, RELAY_PUBLIC_URL, RELAY_ENV: 'development' })).toEqual([]);
    }
    for (const RELAY_PUBLIC_URL of ['http://127.0.0.1:8080', 'http://localhost:8080/x', 'http://[::1]:8080']) {
      expect(faultsOf({ ...GOOD, RELAY_PUBLIC_URL })).toEqual([]);
    }
  });

  it('needs an administrator and a public address; development does not', () => {
    const { RELAY_ADMIN_TOKEN: _, RELAY_PUBLIC_URL: __, ...rest } = GOOD;
    expect(faultsOf(rest).map((fault) => fault.split(' ', 1)[0])).toEqual(['RELAY_ADMIN_TOKEN', 'RELAY_PUBLIC_URL']);
    expect(faultsOf({ ...rest, RELAY_ENV: 'development' })).toEqual([]);
    expect(faultsOf({ ...rest, RELAY_PUBLIC_URL: 'https://a.b', RELAY_ADMIN_TOKENS: `ops:${TOKEN}` })).toEqual([]);
  });
});
