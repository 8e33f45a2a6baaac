import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasUserInfo, plainHttpWarning } from '@agentrelay/protocol';
import { connectionOf, NotConfigured, UnusableConnection } from './connection';
import { readSettings } from './settings-file';

const KEY = 'ar_test_0123456789';
let home: string;

beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'agentrelay-connection-')), 'home');
  mkdirSync(home);
});

function configured(config: object, mark = ''): void {
  const text = JSON.stringify({ relay_url: 'http://127.0.0.1:8080', agent_handle: 'a@t', agent_id: 'x', ...config });
  writeFileSync(join(home, 'config.json'), mark + text, { mode: 0o600 });
}

function faultsOf(url: string, key: string): readonly string[] {
  try {
    connectionOf({ AGENTRELAY_HOME: home, AGENTRELAY_URL: url, AGENTRELAY_API_KEY: key });
  } catch (error) {
    if (error instanceof UnusableConnection) return error.faults;
    throw error;
  }
  return [];
}

describe('the connection', () => {
  it('is taken without the white space around it, from the environment as from config.json', () => {
    expect(
      connectionOf({ AGENTRELAY_HOME: home, AGENTRELAY_URL: ' https://a.b/ \n', AGENTRELAY_API_KEY: `${KEY}\r\n` }),
    ).toEqual({ url: 'https://a.b', apiKey: KEY });
    configured({ api_key: ` ${KEY}\n` });
    expect(connectionOf({ AGENTRELAY_HOME: home })).toEqual({ url: 'http://127.0.0.1:8080', apiKey: KEY });
    expect(connectionOf({ AGENTRELAY_HOME: home, AGENTRELAY_URL: ' ' }).url).toBe('http://127.0.0.1:8080');
  });

  it('is read from files that begin with a byte order mark', () => {
    configured({ api_key: KEY }, '\ufeff');
    expect(connectionOf({ AGENTRELAY_HOME: home }).apiKey).toBe(KEY);
    writeFileSync(join(home, 'settings.json'), '\ufeff{"a": 1}', { mode: 0o600 });
    expect(readSettings(home)).toEqual({ a: 1 });
  });

  it.each([
    ['localhost:8080', 'AGENTRELAY_URL lacks http:// or https:// in front, like https://relay.acme.dev'],
    ['relay.acme.dev', 'AGENTRELAY_URL lacks http:// or https:// in front, like https://relay.acme.dev'],
    ['//relay.acme.dev', 'AGENTRELAY_URL lacks http:// or https:// in front, like https://relay.acme.dev'],
    ['ftp://relay.acme.dev', 'AGENTRELAY_URL must begin with http:// or https://'],
    ['https://', 'AGENTRELAY_URL is no address like https://relay.acme.dev'],
    ['https://a b', 'AGENTRELAY_URL has white space inside'],
    ['http://me:hunter2@127.0.0.1:8080', 'AGENTRELAY_URL has a user name or password in it; take that out'],
    ['http:\\\\me:hunter2@127.0.0.1', 'AGENTRELAY_URL has a user name or password in it; take that out'],
    ['https://@a.b', 'AGENTRELAY_URL has a user name or password in it; take that out'],
    ['https://a.b/join#v1.x', 'AGENTRELAY_URL has a ? or # in it; only the address of the relay is wanted'],
  ])('names an address that cannot be one, and does not repeat it: %s', (url, fault) => {
    expect(faultsOf(url, KEY)).toEqual([fault]);
  });

  it.each([
    ['ar_test_abc…def', 'AGENTRELAY_API_KEY has “…” in it: it was cut when it was copied'],
    ['ar_test_abc...def', 'AGENTRELAY_API_KEY has “...” in it: it was cut when it was copied'],
    ['ar_test_a\nb', 'AGENTRELAY_API_KEY has a character that no key has (U+000A, the 10th); copy it again'],
    ['ar_test_\u200bx', 'AGENTRELAY_API_KEY has a character that no key has (U+200B, the 9th); copy it again'],
    ['ar=test', 'AGENTRELAY_API_KEY is no key; copy the whole of it'],
  ])('names a key that cannot be one, and does not repeat it: %j', (key, fault) => {
    expect(faultsOf('https://a.b', key)).toEqual([fault]);
  });

  it('names everything that is wrong at once, with the place where it stands', () => {
    expect(faultsOf('localhost:8080', 'a…b')).toHaveLength(2);
    configured({ relay_url: 'relay', api_key: 'a…b' });
    expect(() => connectionOf({ AGENTRELAY_HOME: home })).toThrow(
      `relay_url in ${join(home, 'config.json')} lacks http:// or https:// in front, like https://relay.acme.dev; ` +
        `api_key in ${join(home, 'config.json')} has “…” in it: it was cut when it was copied. Nothing was sent.`,
    );
    expect(() => connectionOf({ AGENTRELAY_HOME: join(home, 'none') })).toThrow(NotConfigured);
  });
});

describe('plain http', () => {
  it.each(['http://127.0.0.1:8080', 'http://127.8.9.1', 'http://localhost', 'http://x.localhost:1', 'http://[::1]:80', 'https://a.b'])(
    'is no risk at %s',
    (url) => {
      expect(plainHttpWarning(url)).toBeUndefined();
    },
  ); // prettier-ignore

  it.each(['http://10.0.0.1', 'http://relay.acme.dev', 'http://127.0.0.1.evil.example', 'http://localhost.evil.example', 'http://[::2]', 'http://0.0.0.0'])(
    'is warned of at %s',
    (url) => {
      expect(plainHttpWarning(`${url}/x`)).toBe(
        `${url} is plain http: your key and every handoff can be read and changed on the way. Use https.`,
      );
    },
  ); // prettier-ignore

  it('is told apart from an address that pretends to lead to another host', () => {
    expect(['https://relay.acme.dev@evil.example/join', ' https://a:b@c', 'https:/a@b'].every(hasUserInfo)).toBe(true);
    expect(['https://a.b/x@y', 'https://a.b#x@y', 'https://a.b?x@y', 'mail'].some(hasUserInfo)).toBe(false);
  });
});
