import { useRelay } from '@agentrelay/testing';
import type { WireList, WireRpcResult, WireSent } from '@agentrelay/protocol';

const relay = useRelay();

describe('a handoff over the native API', () => {
  it("answers seed 004's example, which has no id, with id null and a pending thread", async () => {
    const bob = await relay.agent('bob@acme');
    await relay.agent('frank@acme');
    const { status, body } = await bob.post<WireRpcResult>(
      JSON.stringify({
        jsonrpc: '2.0',
        method: 'message/send',
        params: {
          recipient: 'frank@acme',
          intent: 'inform',
          message: { role: 'user', parts: [{ type: 'text', text: 'Refactored /users API.' }] },
          artifacts: [
            { type: 'file_diff', path: 'src/api/users.py', diff: '@@ -12,7 +12,9 @@ ...\n- return users' },
            { type: 'test_command', command: 'pytest tests/users/' },
          ],
          metadata: { client_idempotency_key: 'f47ac10b-58cc-4372-a567-0e02b2c3d479' },
        },
      }),
    );
    const result = body.result as WireSent;
    expect(status).toBe(200);
    expect(body.id).toBeNull();
    expect(result).toEqual({
      task_id: result.thread_id,
      thread_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      status: { state: 'pending' },
      recipient: 'frank@acme',
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      inbox_url: `${relay.url}/inbox/${result.thread_id}`,
      version: 1,
    });
  });

  it('is listed, accepted, talked about, completed and read by the one who sent it', async () => {
    const bob = await relay.agent('bob@acme');
    const frank = await relay.agent('frank@acme');
    const { task_id: id } = await bob.send('frank@acme');
    const inbox = await frank.call<WireList>('tasks/list');
    expect(inbox.items.map((item) => [item.task_id, item.status.state, item.unread_messages])).toEqual([
      [id, 'pending', 1],
    ]);
    await frank.accept(id);
    await frank.append(id, 'Which branch?');
    await bob.append(id, 'main');
    await frank.complete(id, { result_summary: 'Merged.' });
    const thread = await bob.get(id);
    expect(thread.status).toEqual({ state: 'completed' });
    expect(thread.completed_summary).toBe('Merged.');
    expect(thread.messages.map(({ sequence_no, from, kind, body }) => [sequence_no, from, kind, body])).toEqual([
      [1, 'bob@acme', 'summary', 'Please have a look.'],
      [2, 'frank@acme', 'message', 'Which branch?'],
      [3, 'bob@acme', 'message', 'main'],
      [4, 'frank@acme', 'result', 'Merged.'],
    ]);
  });
});
