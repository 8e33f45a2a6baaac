import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { WireTransition } from '@agentrelay/protocol';
import { eventually, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();
const MIB = 1024 * 1024;

/** A thread of nearly an answer, from bob to frank. */
async function largeThread(bob: TestAgent): Promise<string> {
  const diff = { type: 'file_diff', path: 'a', diff: 'x'.repeat(1_000_000) };
  const { task_id: id } = await bob.send('frank@acme');
  for (let n = 0; n < 2; n++) await bob.append(id, 'large', { artifacts: [diff, diff, diff] });
  return id;
}

/** Asks for a thread and takes nothing of the answer. */
async function stalledReader(agent: TestAgent, id: string): Promise<Socket> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { task_id: id } });
  const { port, hostname } = new URL(agent.url);
  const socket = connect(Number(port), hostname).pause();
  await once(socket, 'connect');
  socket.write(
    `POST /a2a HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${agent.apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'readable');
  return socket;
}

describe('answers that their reader does not take', () => {
  it('are half of all that a replica has in flight; then the agent is told to wait, and nobody else', async () => {
    const { bob, frank } = await relay.pair();
    const id = await largeThread(bob);
    const other = (await bob.send('frank@acme')).task_id;
    const stalled = [await stalledReader(frank, id), await stalledReader(frank, id)];
    const { status, headers } = await frank.rpc('tasks/get', { task_id: id });
    expect([status, headers.get('retry-after')]).toEqual([503, '1']);
    expect(await frank.refusal('tasks/get', { task_id: id })).toMatchObject({
      symbol: 'unavailable',
      message:
        'The relay is busy with answers that their readers have not taken yet. Take those that you asked for, then try again.',
    });
    // Small answers of the same agent, and large ones of another, are served.
    expect((await frank.get(other)).messages).toHaveLength(1);
    expect((await bob.get(id)).messages).toHaveLength(3);
    // What is written stays written; it leaves the thread out.
    const accept = { task_id: id, transition: 'accept', include_thread: true };
    const accepted = await frank.call<WireTransition>('tasks/update', accept);
    expect(accepted).toMatchObject({ status: { state: 'accepted' }, omitted: ['thread'] });
    expect(accepted).not.toHaveProperty('thread');
    for (const socket of stalled) socket.destroy();
    const again = await eventually('frank is served again', async () => {
      const { status: now, body } = await frank.rpc('tasks/get', { task_id: id });
      return now === 200 && JSON.stringify(body).length;
    });
    expect(again).toBeGreaterThan(5 * MIB);
  });
});
