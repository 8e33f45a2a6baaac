import { mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeRoomForConfig, readConfigFile, writeConfig } from './config-file';

const CONFIG = {
  relay_url: 'https://relay.acme.dev',
  agent_handle: 'frank@acme',
  agent_id: '0198c5d2-7d1e-7000-8000-000000000001',
  api_key: 'ar_test_x',
};

describe('config.json', () => {
  it('holds exactly its five members, in a file and a folder that only their owner can read', () => {
    const home = join(mkdtempSync(join(tmpdir(), 'agentrelay-config-')), 'new');
    writeConfig(home, { ...CONFIG, ...{ more: 'x' } });
    expect(readConfigFile(home)).toEqual({ ...CONFIG, default_session_id: null });
    expect(Object.keys(JSON.parse(readFileSync(join(home, 'config.json'), 'utf8')) as object)).toEqual([
      'relay_url',
      'agent_handle',
      'agent_id',
      'api_key',
      'default_session_id',
    ]);
    expect(statSync(join(home, 'config.json')).mode & 0o777).toBe(0o600);
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });

  it('is left alone, without a trace, when it cannot be written', () => {
    const home = mkdtempSync(join(tmpdir(), 'agentrelay-config-'));
    mkdirSync(join(home, 'config.json'));
    expect(() => writeConfig(home, CONFIG)).toThrow(`${join(home, 'config.json')}: cannot be written`);
    expect(readdirSync(home)).toEqual(['config.json']);
  });

  it('is known beforehand to be writable, with the same content and nothing beside it afterwards', () => {
    const home = mkdtempSync(join(tmpdir(), 'agentrelay-config-'));
    writeConfig(home, CONFIG);
    const before = readFileSync(join(home, 'config.json'), 'utf8');
    makeRoomForConfig(home);
    expect(readFileSync(join(home, 'config.json'), 'utf8')).toBe(before);
    expect(readdirSync(home)).toEqual(['config.json']);
  });
});
