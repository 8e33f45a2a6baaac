import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { WireEvents } from '@agentrelay/protocol';
import type { TestAgent } from '../../../libs/testing/src/test-agent';
import { Caller } from '../../bench/load';
import { seedHandoffs } from '../../bench/seed';
import { headAndBody, rpcText } from '../calls';
import { type Attack, register, type Scene, scaled } from '../scene';

const MESSAGES = 18;
const DIFF_BYTES = 1_000_000;
const READERS = 40;
const PIPELINED = 60;
/** Who takes nothing for 30 s is cut off; looked for now and then. */
const CUT_OFF_MS = 45_000;
const SETTLE_MS = 3_000;
const HANDOFFS = 20_000;
const STREAMS = 10;

/** Readers that ask for much and take nothing: of big answers, of pipelined ones, of event streams. */
export const slowReaders: Attack = {
  name: 'readers that take nothing',
  async run(scene) {
    const reader = await register(scene, 'aaa-reader@acme');
    const sender = await register(scene, 'sender-r@acme');
    await register(scene, 'team-r@acme');
    await seedHandoffs(scene.databaseUrl, scaled(HANDOFFS, scene, 4_000));
    const thread = await bigThread(sender, reader.handle);
    const get = rpcText('tasks/get', { task_id: thread });
    const { head, body } = headAndBody(reader.apiKey, get);
    const request = Buffer.concat([Buffer.from(head), body]);
    await takeNothing(
      scene,
      'big answers',
      Array.from({ length: READERS }, () => mute(scene, request)),
      sender,
      reader,
      thread,
    );
    const pipelined = Buffer.concat(Array.from({ length: PIPELINED }, () => request));
    await takeNothing(
      scene,
      'pipelined big answers',
      [mute(scene, pipelined), mute(scene, pipelined)],
      sender,
      reader,
      thread,
    );
    await muteStreams(scene, reader, sender);
  },
};

async function bigThread(sender: TestAgent, recipient: string): Promise<string> {
  const { task_id } = await sender.send(recipient);
  const artifact = { type: 'file_diff', path: 'src/a.ts', diff: 'x'.repeat(DIFF_BYTES) };
  for (let n = 0; n < MESSAGES; n++)
    await sender.append(task_id, `Part ${n}`, { artifacts: [artifact, artifact, artifact] });
  return task_id;
}

/** Sends bytes and never reads. */
function mute({ relay }: Scene, bytes: Buffer): Socket {
  const socket = connect({ host: '127.0.0.1', port: relay.port });
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(bytes);
  return socket;
}

/** While readers take nothing others read, and after their time the relay has its room back. */
async function takeNothing(
  { relay, ledger, say }: Scene,
  what: string,
  sockets: Socket[],
  other: TestAgent,
  same: TestAgent,
  thread: string,
): Promise<void> {
  const caller = new Caller(relay.url);
  const read = async (apiKey: string): Promise<number> => {
    const call = { apiKey, method: 'tasks/get', params: { task_id: thread } };
    return caller.call(call, false).then(
      ({ status }) => status,
      () => 0,
    );
  };
  await pause(SETTLE_MS);
  const status = await read(other.apiKey);
  ledger.claim(`beside ${what} the other side reads the thread`, status === 200, `status ${status}`);
  const since = Date.now();
  let own = await read(same.apiKey);
  const first = own;
  while (own !== 200 && Date.now() - since < CUT_OFF_MS) {
    await pause(1_000);
    own = await read(same.apiKey);
  }
  const waited = Math.round((Date.now() - since) / 1_000);
  say(
    `  ${what}: the same agent was answered ${first}, after ${waited} s ${own}; peak ${Math.round(relay.peakMiB)} MiB`,
  );
  ledger.claim(`after ${what} the same agent reads again`, own === 200, `first ${first}, after ${waited} s ${own}`);
  for (const socket of sockets) socket.destroy();
  caller.close();
  await pause(500);
}

/** Streams of everything from the beginning of the log, of which nothing is taken. */
async function muteStreams(scene: Scene, reader: TestAgent, other: TestAgent): Promise<void> {
  const { relay, ledger } = scene;
  const { events } = await reader.call<WireEvents>('events/list', { limit: 1, include_own: true });
  const from = (events[0] as { cursor?: string } | undefined)?.cursor ?? '';
  const open = (key: string, last: string): Socket => {
    const cursor = last === '' ? '' : `last-event-id: ${last}\r\n`;
    const head = `GET /agents/me/events/stream HTTP/1.1\r\nhost: relay\r\nauthorization: Bearer ${key}\r\n${cursor}\r\n`;
    return mute(scene, Buffer.from(head));
  };
  const sockets = Array.from({ length: STREAMS }, () => open(reader.apiKey, from));
  await pause(SETTLE_MS);
  const { status } = await other.rpc('tasks/list', {});
  ledger.claim('beside streams that nobody takes others are served', status === 200, `status ${status}`);
  let fresh = 0;
  for (const end = Date.now() + CUT_OFF_MS; Date.now() < end && fresh !== 200;) {
    const signal = AbortSignal.timeout(3_000);
    const headers = { authorization: `Bearer ${reader.apiKey}` };
    const answer = await fetch(`${relay.url}/agents/me/events/stream`, { headers, signal }).catch(() => undefined);
    fresh = answer?.status ?? 0;
    await answer?.body?.cancel().catch(() => undefined);
    await pause(1_000);
  }
  ledger.claim('streams that nobody takes make room again', fresh === 200, `status ${fresh}`);
  for (const socket of sockets) socket.destroy();
}
