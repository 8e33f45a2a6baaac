import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import Fastify, { type FastifyInstance } from 'fastify';
import { answerIsFor, boundAnswers } from './answers-in-flight';

const BYTES = 8 * 1024 * 1024;
const STALLED_MS = 1_000;

/** Longer than any test takes. */
const NEVER_MS = 600_000;

let fastify: FastifyInstance;
let hold: () => Promise<void>;

async function serve(stalledMs: number): Promise<void> {
  fastify = Fastify();
  boundAnswers(fastify, stalledMs);
  fastify.addHook('onRequest', (request, _, done) => {
    const holder = request.headers['x-holder'];
    if (typeof holder === 'string') answerIsFor(request, holder);
    done();
  });
  fastify.get('/medium', () => 'x'.repeat(200 * 1024));
  fastify.get('/held', async () => {
    await hold();
    return 'x'.repeat(BYTES);
  });
  fastify.get('/large', () => 'x'.repeat(BYTES));
  fastify.get('/huge', () => 'x'.repeat(2 * BYTES));
  fastify.get('/small', () => 'x');
  await fastify.listen({ port: 0, host: '127.0.0.1' });
}
afterEach(() => fastify.close());

const port = (): number => (fastify.server.address() as AddressInfo).port;

/** Asks, and takes nothing of the answer until it is told to. */
async function reader(path: string, holder?: string): Promise<Socket> {
  const socket = connect(port(), '127.0.0.1').pause();
  await once(socket, 'connect');
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n${holder === undefined ? '' : `x-holder: ${holder}\r\n`}\r\n`);
  return socket;
}

describe('a reader', () => {
  // Only the time that stands still is made; sockets and everything else are real, whatever the machine takes for them.
  beforeEach(() => {
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'clearImmediate', 'setInterval', 'clearInterval', 'queueMicrotask', 'performance', 'Date', 'hrtime'],
    }); // prettier-ignore
    return serve(STALLED_MS);
  });
  afterEach(() => jest.useRealTimers());

  it('that takes nothing is cut off, and what its answer took is free again', async () => {
    const stalled = await Promise.all([1, 2].map(() => reader('/large')));
    await Promise.all(stalled.map((socket) => once(socket, 'readable')));
    expect((await fetch(`http://127.0.0.1:${port()}/large`, { method: 'HEAD' })).status).toBe(500);
    jest.advanceTimersByTime(STALLED_MS);
    for (const socket of stalled) {
      let taken = 0;
      socket.on('data', (chunk: Buffer) => (taken += chunk.length)).on('error', () => undefined);
      await once(socket.resume(), 'close');
      expect(taken).toBeLessThan(BYTES);
    }
    expect((await fetch(`http://127.0.0.1:${port()}/large`, { method: 'HEAD' })).status).toBe(200);
    const all = await fetch(`http://127.0.0.1:${port()}/large`);
    expect([all.headers.get('content-length'), (await all.text()).length]).toEqual([String(BYTES), BYTES]);
  });

  it('that is slow gets all of it, however long that takes', async () => {
    const socket = await reader('/huge');
    let taken = 0;
    let passed = 0;
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      taken += chunk.length;
      if (taken >= 2 * BYTES) break;
      // The bound goes by while more bytes are taken than fit between the two.
      const pause = (STALLED_MS * chunk.length) / (1.5 * BYTES);
      jest.advanceTimersByTime(pause);
      passed += pause;
    }
    expect(taken).toBeGreaterThanOrEqual(2 * BYTES);
    expect(passed).toBeGreaterThan(STALLED_MS);
  });

  it('that keeps its connection is not cut off between answers', async () => {
    const socket = await reader('/small');
    const [first] = (await once(socket.resume(), 'data')) as [Buffer];
    jest.advanceTimersByTime(STALLED_MS * 2);
    socket.write('GET /small HTTP/1.1\r\nhost: x\r\n\r\n');
    const [second] = (await once(socket, 'data')) as [Buffer];
    expect([first, second].map((answer) => answer.toString().slice(0, 15))).toEqual([
      'HTTP/1.1 200 OK',
      'HTTP/1.1 200 OK',
    ]);
    socket.destroy();
  });
});

describe('answers in flight', () => {
  beforeEach(() => serve(NEVER_MS));

  it('are half of all bytes for one holder; what is beyond is refused', async () => {
    const open = await Promise.all([1, 2].map(() => reader('/large')));
    await Promise.all(open.map((socket) => once(socket, 'readable')));
    const { status } = await fetch(`http://127.0.0.1:${port()}/large`);
    expect(status).toBe(500);
    expect((await fetch(`http://127.0.0.1:${port()}/small`)).status).toBe(200);
    for (const socket of open) socket.destroy();
  });

  it('of readers who hung up before they were built count no longer', async () => {
    let builds = 0;
    const gone: Promise<unknown>[] = [];
    fastify.server.on('request', (_, answer) => gone.push(once(answer, 'close')));
    hold = async () => {
      builds++;
      await gone[builds - 1];
    };
    for (let n = 1; n <= 3; n++) {
      const socket = await reader('/held');
      while (builds < n) await setTimeout(1);
      socket.destroy();
      await gone[n - 1];
    }
    const answer = await fetch(`http://127.0.0.1:${port()}/large`);
    expect([answer.status, (await answer.text()).length]).toEqual([200, BYTES]);
  });

  it('that fill all bytes leave whoever holds none an answer of moderate size, and only that', async () => {
    const open = await Promise.all(['a', 'a', 'b', 'b'].map((holder) => reader('/large', holder)));
    await Promise.all(open.map((socket) => once(socket, 'readable')));
    const ask = async (path: string, holder: string): Promise<number> => {
      const answer = await fetch(`http://127.0.0.1:${port()}${path}`, { headers: { 'x-holder': holder } });
      await answer.arrayBuffer();
      return answer.status;
    };
    expect([await ask('/medium', 'c'), await ask('/medium', 'a'), await ask('/large', 'c')]).toEqual([200, 500, 500]);
    for (const socket of open) socket.destroy();
  });
});
