import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import {
  DatabaseServer,
  eventually,
  freePort,
  registerAgent,
  TEST_ADMIN_TOKEN,
  type TestAgent,
  testSettings,
  text,
} from '@agentrelay/testing';
import { Random } from '../chaos/random';
import { startRelayProcess } from '../process/relay-process';

/** Passes connections on to PostgreSQL, and can put something of its own in the place of answers. */
class MeddlingProxy {
  private readonly server: Server;
  private readonly clients = new Set<Socket>();
  private meddle: ((answer: Buffer) => Buffer) | undefined;

  constructor(port: number) {
    this.server = createServer((client) => {
      const upstream = connect(port, '127.0.0.1');
      this.clients.add(client);
      client.on('data', (chunk) => upstream.write(chunk));
      upstream.on('data', (chunk) => client.write(this.meddle?.(chunk) ?? chunk));
      for (const [one, other] of [
        [client, upstream],
        [upstream, client],
      ] as const)
        one.on('error', () => one.destroy()).on('close', () => (this.clients.delete(client), other.destroy()));
    });
  }

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** From now on answers are what `meddle` makes of them. */
  answer(meddle: ((answer: Buffer) => Buffer) | undefined): void {
    this.meddle = meddle;
  }

  /** Sends something that nobody asked for over every connection, idle ones too. */
  say(unasked: Buffer): void {
    for (const client of this.clients) client.write(unasked);
  }

  close(): void {
    for (const client of this.clients) client.destroy();
    this.server.close();
  }
}

/** A message of PostgreSQL's protocol: type, length, content. */
function message(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

const numbers = (...values: number[]): Buffer =>
  Buffer.concat(values.map((value) => Buffer.from([value >> 8, value & 255])));

/** An error of the server's: severity, SQLSTATE and text. */
const serverError = (code: string): Buffer => message('E', Buffer.from(`SFATAL\0VFATAL\0C${code}\0Mit is over\0\0`));

const ANSWERS: [string, (answer: Buffer) => Buffer][] = [
  ['bytes of no protocol', () => Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'.repeat(4))],
  ['zeros', (answer) => Buffer.alloc(answer.length)],
  [
    'an answer whose middle is broken',
    (answer) => Buffer.concat([answer.subarray(0, 3), Buffer.alloc(40, 255), answer]),
  ],
  [
    'a row with fewer bytes than it says',
    () => message('D', Buffer.concat([numbers(1), Buffer.from([0, 0, 4, 0]), Buffer.from('short')])),
  ],
  [
    'a row with more columns than were described',
    () => message('D', Buffer.concat([numbers(500), Buffer.alloc(2_000, 255)])),
  ],
  [
    'a row of one text that no string can hold',
    () => message('D', Buffer.concat([numbers(1), Buffer.from([0x7f, 255, 255, 255]), Buffer.from('x')])),
  ],
  [
    'a row description that is cut',
    () => message('T', Buffer.concat([numbers(3), Buffer.from('name without an end')])),
  ],
  ['an end of a command that was not asked', () => message('C', Buffer.from('SELECT 1\0'))],
  ['a request for a password', () => message('R', Buffer.from([0, 0, 0, 5, 1, 2, 3, 4]))],
  [
    'an error of the server, and a broken message after it',
    () => Buffer.concat([serverError('57P01'), Buffer.alloc(20, 255)]),
  ],
  ['a request for data to copy', () => message('G', Buffer.from([0, 0, 0]))],
];

const SOAK = process.env['SOAK'] === '1';
const ROUNDS = SOAK ? 1_000 : 6;
const SEED = Number(process.env['SEED'] ?? '7');

/** Where a broken answer stands beside the real one. */
const PLACES: ((real: Buffer, broken: Buffer) => Buffer)[] = [
  (_, broken) => broken,
  (real, broken) => Buffer.concat([real, broken]),
  (real, broken) => Buffer.concat([broken, real]),
];

let database: DatabaseServer;
let proxy: MeddlingProxy;
let relay: Awaited<ReturnType<typeof startRelayProcess>>;
let agent: TestAgent;

beforeAll(async () => {
  // A server of its own: one that waits for a client which was told nonsense lets no database be created or dropped meanwhile.
  database = await DatabaseServer.start();
  proxy = new MeddlingProxy(database.port);
  const url = new URL(database.url);
  url.port = String(await proxy.listen());
  const port = String(await freePort());
  const settings = {
    ...testSettings(url.href),
    PORT: port,
    RELAY_STATEMENT_TIMEOUT_MS: '200',
    DATABASE_POOL_SIZE: '3',
  };
  relay = await startRelayProcess(settings, `http://127.0.0.1:${port}`);
  agent = await registerAgent(`http://127.0.0.1:${port}`, TEST_ADMIN_TOKEN, 'bob@acme');
  await registerAgent(`http://127.0.0.1:${port}`, TEST_ADMIN_TOKEN, 'frank@acme');
}, 60_000);
afterAll(async () => {
  proxy.answer(undefined);
  relay.kill('SIGTERM');
  const code = await relay.exit();
  proxy.close();
  await database.stop();
  expect(code).toBe(0);
});

/** The relay lives, and serves as before once the database can be read again. */
async function servesAgain(): Promise<void> {
  proxy.answer(undefined);
  await eventually(
    'it serves',
    async () => {
      if (!relay.isRunning) throw new Error(`The relay ended: ${relay.printed}`);
      return (await agent.rpc('tasks/list')).status === 200;
    },
    30_000,
  );
  // Connections that were broken unseen are found out one by one, by the requests that get them.
  const thread = await eventually('it writes', async () => {
    const { body, status } = await agent.rpc('message/send', { recipient: 'frank@acme', message: text('x') });
    return status === 200 && (body as { result: { task_id: string } }).result.task_id;
  });
  expect(await eventually('it reads', async () => (await agent.rpc('tasks/get', { task_id: thread })).status)).toBe(
    200,
  );
}

describe('an answer of the database that cannot be read', () => {
  it.each(ANSWERS)('(%s) ends the request and not the process', async (_, answer) => {
    proxy.answer(answer);
    const answers = await Promise.all([1, 2, 3, 4].map(() => agent.rpc('tasks/list')));
    for (const { status } of answers) expect([500, 503]).toContain(status);
    await servesAgain();
  });

  it('that comes unasked over an idle connection costs nobody anything', async () => {
    for (const [, answer] of ANSWERS) {
      await Promise.all([1, 2, 3].map(() => agent.rpc('tasks/list')));
      proxy.say(answer(Buffer.alloc(50)));
    }
    await servesAgain();
  });

  // Also while a connection is being made or handed on, and between the statements of a transaction.
  it(`that comes at any place ends no process (seed ${SEED})`, async () => {
    const random = new Random(SEED);
    for (let round = 0; round < ROUNDS; round++) {
      const [, make] = random.pick(ANSWERS);
      const place = random.pick(PLACES);
      const share = random.next();
      proxy.answer((real) => (random.next() < share ? place(real, make(real)) : real));
      // More than there are connections, so that one is handed on while it breaks.
      const answers = await Promise.all(
        [1, 2].flatMap(() => [
          agent.rpc('tasks/list'),
          agent.rpc('events/list'),
          agent.rpc('message/send', { recipient: 'frank@acme', message: text('x') }),
        ]),
      );
      for (const { status } of answers) expect([200, 500, 503]).toContain(status);
    }
    await servesAgain();
  }, 600_000);
});
