import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, testSettings, text, useRelay } from '@agentrelay/testing';
import { startRelayProcess } from '../process/relay-process';
import { OtlpReceiver } from './otlp-receiver';

const SENDERS_TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${SENDERS_TRACE}-00f067aa0ba902b7-01`;
const relay = useRelay();

async function withRelay(settings: Record<string, string>, use: (url: string) => Promise<void>): Promise<string> {
  const port = String(await freePort());
  const url = `http://127.0.0.1:${port}`;
  const program = await startRelayProcess({ ...testSettings(relay.database.url), PORT: port, ...settings }, url);
  await use(url);
  program.kill('SIGTERM');
  expect(await program.exit()).toBe(0);
  return program.printed;
}

describe('a relay that is told of a collector', () => {
  it('records requests, calls and statements in the caller’s trace, links who takes the work on, and logs the ids', async () => {
    const receiver = new OtlpReceiver();
    const endpoint = await receiver.listen();
    const { bob, frank } = await relay.pair();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, LOG_LEVEL: 'info' };
    let carried: string | undefined;
    const printed = await withRelay(settings, async (url) => {
      const send = { recipient: frank.handle, message: text('THE PLAN') };
      const { task_id } = await bob
        .at(url)
        .call<{ task_id: string }>('message/send', send, { traceparent: TRACEPARENT });
      await frank.at(url).accept(task_id);
      carried = (await frank.at(url).get(task_id)).traceparent;
      await fetch(`${url}/healthz`);
    });
    receiver.close();

    const inSendersTrace = receiver.spans.filter(({ traceId }) => traceId === SENDERS_TRACE);
    const named = (name: string) => inSendersTrace.find((span) => span.name === name)!;
    expect(named('POST /a2a')).toMatchObject({
      parentSpanId: '00f067aa0ba902b7',
      service: 'agentrelay',
      attributes: { 'http.response.status_code': 200, 'http.route': '/a2a' },
    });
    expect(named('message/send')).toMatchObject({ parentSpanId: named('POST /a2a').spanId });
    const insert = inSendersTrace.find(({ attributes }) =>
      String(attributes['db.query.text']).includes('INSERT INTO handoffs'),
    );
    expect(insert).toMatchObject({ name: 'WITH', parentSpanId: named('message/send').spanId });
    expect(JSON.stringify(receiver.spans)).not.toContain('THE PLAN');

    const accept = receiver.spans.find(({ name }) => name === 'tasks/update')!;
    expect(accept.traceId).not.toBe(SENDERS_TRACE);
    expect(accept.links).toMatchObject([{ traceId: SENDERS_TRACE, spanId: named('message/send').spanId }]);
    expect(carried).toBe(`00-${SENDERS_TRACE}-${named('message/send').spanId}-01`);

    expect(receiver.spans.some(({ name }) => name.includes('healthz'))).toBe(false);
    const lines = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const completed = lines.find(({ trace_id }) => trace_id === SENDERS_TRACE);
    expect(completed).toMatchObject({ span_id: named('POST /a2a').spanId, msg: 'request completed' });
  });

  it('serves all the same when the collector is away', async () => {
    const { bob, frank } = await relay.pair();
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', LOG_LEVEL: 'warn' };
    const printed = await withRelay(settings, async (url) => {
      expect((await bob.at(url).send(frank.handle)).task_id).toBeDefined();
    });
    expect(printed).toContain('Traces could not be sent.');
  });
});

describe('a relay without a collector', () => {
  it('loads nothing of the tracing SDK', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'agentrelay-loaded-'));
    const hook = join(folder, 'loaded.js');
    writeFileSync(
      hook,
      `process.on('exit', () => process.stdout.write(Object.keys(require.cache).filter((file) => /opentelemetry/.test(file)).join('\\n')))`,
    );
    const printed = await withRelay({ NODE_OPTIONS: `--require ${hook}` }, () => Promise.resolve());
    rmSync(folder, { recursive: true });
    const loaded = new Set(printed.match(/@opentelemetry\/[\w-]+/g));
    expect([...loaded]).toEqual(['@opentelemetry/api']);
  });

  it('still carries the sender’s trace to whoever reads the thread', async () => {
    const { bob, frank } = await relay.pair();
    const send = { recipient: frank.handle, message: text('x') };
    const { task_id } = await bob.call<{ task_id: string }>('message/send', send, { traceparent: TRACEPARENT });
    expect((await frank.get(task_id)).traceparent).toBe(TRACEPARENT);
  });

  it.each(['', 'ff-1-2-3', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `${TRACEPARENT}-more`])(
    'takes the traceparent %j for none',
    async (traceparent) => {
      const { bob, frank } = await relay.pair();
      const send = { recipient: frank.handle, message: text('x') };
      const { task_id } = await bob.call<{ task_id: string }>('message/send', send, { traceparent });
      expect(await frank.get(task_id)).not.toHaveProperty('traceparent');
    },
  );
});
