import { appendFileSync, mkdtempSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ledger, type LedgerEntry } from './ledger';

let ledger: Ledger;

beforeEach(() => {
  ledger = Ledger.open(join(mkdtempSync(join(tmpdir(), 'agentrelay-ledger-')), 'new'));
});

function entry(n: number): LedgerEntry {
  return {
    at: new Date(Date.UTC(2026, 0, 1, 0, n)).toISOString(),
    session_id: 's',
    tool: 'check_inbox',
    arguments_digest: `digest ${n}`,
    result: 'ok',
  };
}

describe('the ledger', () => {
  it('keeps one line a call, readable by its owner only', async () => {
    expect(await ledger.read()).toEqual({ entries: [], skipped: 0 });
    ledger.append(entry(1));
    ledger.append({ ...entry(2), thread_id: 't' });
    expect(readFileSync(ledger.path, 'utf8').split('\n')).toHaveLength(3);
    expect(statSync(ledger.path).mode & 0o777).toBe(0o600);
    expect(statSync(join(ledger.path, '..')).mode & 0o777).toBe(0o700);
    expect(await ledger.read()).toEqual({ entries: [entry(1), { ...entry(2), thread_id: 't' }], skipped: 0 });
  });

  it('gives the newest since a time, and no more than asked for', async () => {
    for (let n = 0; n < 20; n++) ledger.append(entry(n));
    expect((await ledger.read({ limit: 3 })).entries).toEqual([17, 18, 19].map(entry));
    expect((await ledger.read({ since: entry(18).at })).entries).toEqual([18, 19].map(entry));
    expect((await ledger.read({ limit: 0 })).entries).toEqual([]);
  });

  it('leaves out a line that a crash cut off, says so, and goes on behind it', async () => {
    ledger.append(entry(1));
    appendFileSync(ledger.path, JSON.stringify(entry(2)).slice(0, 40));
    expect(await ledger.read()).toEqual({ entries: [entry(1)], skipped: 1 });
    ledger.append(entry(3));
    expect(await ledger.read()).toEqual({ entries: [entry(1), entry(3)], skipped: 1 });
  });
});
