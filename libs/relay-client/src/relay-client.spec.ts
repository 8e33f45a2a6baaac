import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ERRORS, type ErrorSymbol } from '@agentrelay/protocol';
import { OutcomeUnknown, RelayRefusal, Unreachable } from './errors';
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

describe('a client whose first attempt gets no answer', () => {
  let relay: Server;
  let client: RelayClient;
  let asked: number;
  let refusal: ErrorSymbol;

  beforeEach(async () => {
    asked = 0;
    relay = createServer((request, response) => {
      if (asked++ === 0) return void request.socket.destroy();
      response.statusCode = ERRORS[refusal].http;
      response.end(JSON.stringify({ error: { message: `No: ${refusal}.`, data: { code: refusal } } }));
    });
    await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve));
    client = new RelayClient({
      url: `http://127.0.0.1:${(relay.address() as AddressInfo).port}`,
      apiKey: 'ar_test_none',
    });
  });

  afterEach(() => {
    relay.closeAllConnections();
    relay.close();
  });

  it.each(['rate_limited', 'unauthenticated', 'forbidden', 'payload_too_large'] as const)(
    'does not take %s for the outcome of a write: the first attempt may have stored it',
    async (symbol) => {
      refusal = symbol;
      const failure: unknown = await client
        .write('tasks/cancel', { task_id: 'x' }, 'key')
        .catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(OutcomeUnknown);
      expect(failure).toMatchObject({
        message: `The relay did not answer at first, and then refused: No: ${symbol}.`,
        cause: { symbol },
      });
    },
  );

  it.each(['thread_terminal', 'recipient_not_found', 'invalid_params'] as const)(
    'takes %s for it, which the relay answers only when the key is not on record',
    async (symbol) => {
      refusal = symbol;
      await expect(client.write('tasks/cancel', { task_id: 'x' }, 'key')).rejects.toBeInstanceOf(RelayRefusal);
    },
  );

  it('takes any refusal of a read for what it is', async () => {
    refusal = 'unauthenticated';
    await expect(client.read('agents/list', {})).rejects.toBeInstanceOf(RelayRefusal);
    asked = 0;
    await expect(client.whoAmI()).rejects.toBeInstanceOf(RelayRefusal);
  });
});

describe('a client that cannot reach a relay', () => {
  let moved: Server;
  let address: string;

  beforeEach(async () => {
    moved = createServer((request, response) => {
      response.writeHead(301, { location: `https://relay.example${request.url}` }).end();
    });
    await new Promise<void>((resolve) => moved.listen(0, '127.0.0.1', resolve));
    address = `127.0.0.1:${(moved.address() as AddressInfo).port}`;
  });

  afterEach(() => moved.close());

  it('names the address that a redirect points to, and does not follow it with its key', async () => {
    const client = new RelayClient({ url: `http://${address}`, apiKey: 'ar_test_none' });
    const message = `The relay at http://${address} answers with a redirect to https://relay.example; use that address.`;
    await expect(client.whoAmI()).rejects.toMatchObject({ symbol: 'redirected', message });
    await expect(client.write('tasks/cancel', { task_id: 'x' }, 'key')).rejects.toMatchObject({ message });
  });

  it('never calls a write that did not leave unknown, unless an earlier attempt left', async () => {
    const nobody = new RelayClient({ url: 'http://127.0.0.1:9', apiKey: 'ar_test_none' });
    await expect(nobody.write('tasks/cancel', { task_id: 'x' }, 'key')).rejects.toBeInstanceOf(Unreachable);
    moved.removeAllListeners('request');
    moved.on('request', (request) => {
      moved.close();
      request.socket.destroy();
    });
    const client = new RelayClient({ url: `http://${address}`, apiKey: 'ar_test_none' });
    await expect(client.write('tasks/cancel', { task_id: 'x' }, 'key')).rejects.toMatchObject({
      constructor: OutcomeUnknown,
      message: `The relay at http://${address} does not answer (ECONNREFUSED).`,
    });
    await expect(client.write('tasks/cancel', { task_id: 'x' }, 'key')).rejects.toMatchObject({
      constructor: Unreachable,
      message: `The relay at http://${address} does not answer (ECONNREFUSED).`,
    });
  });

  it('says what is in the way: TLS, the network or the time', async () => {
    const failing = (url: string, deadlineMs?: number) =>
      new RelayClient({ url, apiKey: 'ar_test_none', ...(deadlineMs !== undefined && { deadlineMs }) }).whoAmI();
    await expect(failing(`https://${address}`)).rejects.toThrow(/ does not answer \((ERR_SSL|EPROTO)\w*\)\.$/);
    moved.removeAllListeners('request');
    await expect(failing(`http://${address}`, 300)).rejects.toThrow(/ does not answer \(TimeoutError\)\.$/);
    moved.closeAllConnections();
    await new Promise((resolve) => moved.close(resolve));
    await expect(failing(`http://${address}`)).rejects.toThrow(/ does not answer \(ECONNREFUSED\)\.$/);
  });
});
