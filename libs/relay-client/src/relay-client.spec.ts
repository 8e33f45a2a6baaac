import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { OutcomeUnknown } from './errors';
import { RelayClient } from './relay-client';

describe('a client with a deadline', () => {
  let silent: Server;
  let client: RelayClient;

  beforeEach(async () => {
    silent = createServer(() => {
      // Takes requests and never answers.
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    client = new RelayClient({
      url: `http://127.0.0.1:${(silent.address() as AddressInfo).port}`,
      apiKey: 'ar_test_none',
    });
  });

  afterEach(() => {
    silent.closeAllConnections();
    silent.close();
  });

  it('ends all of its calls together by then, retries and wanted waits included', async () => {
    const started = performance.now();
    const hurried = client.until(Date.now() + 300);
    await expect(hurried.whoAmI()).rejects.toBeInstanceOf(OutcomeUnknown);
    await expect(hurried.read('events/list', { cursor: 'now', wait_ms: 45_000 }, 45_000)).rejects.toBeInstanceOf(
      OutcomeUnknown,
    );
    await expect(hurried.write('tasks/cancel', { task_id: 'x' }, 'key')).rejects.toBeInstanceOf(OutcomeUnknown);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});
