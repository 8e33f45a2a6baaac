import { TEST_ADMIN_TOKEN, useRelay } from '@agentrelay/testing';
import { fuzz } from './campaign';
import { assemble, servesAHandoff } from './target';

const REQUESTS = 2_000;
const SEED = Number(process.env['FUZZ_SEED'] ?? 1);

const relay = useRelay();

describe('the relay', () => {
  it(`answers ${REQUESTS} hostile requests by its rules and goes on serving (seed ${SEED})`, async () => {
    const target = await assemble(relay.url, TEST_ADMIN_TOKEN, relay.database);
    const { faults, byStatus } = await fuzz(target, { requests: REQUESTS, seed: SEED });
    expect(faults).toEqual([]);
    // The mix holds honest requests and refusals of every kind.
    for (const status of ['200', '400', '401', '403', '404', '405', '409', '415']) {
      expect([status, byStatus[status] ?? 0]).toEqual([status, expect.any(Number)]);
      expect(byStatus[status]).toBeGreaterThan(0);
    }
    expect(await servesAHandoff(target)).toBe('completed');
  }, 60_000);
});
