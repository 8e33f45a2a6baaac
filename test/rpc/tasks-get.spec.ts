import { useRelay } from '@agentrelay/testing';

const relay = useRelay();

/** A thread of five messages: bob wrote 1, 3 and 5, frank 2 and 4. */
async function thread() {
  const { bob, frank } = await relay.pair();
  const { task_id: id } = await bob.send('frank@acme');
  await frank.append(id, 'two');
  await bob.append(id, 'three');
  await frank.append(id, 'four');
  await bob.append(id, 'five');
  return { bob, frank, id };
}

describe('tasks/get', () => {
  it('shows every member of a thread, times and nullable members included', async () => {
    const { bob, frank } = await relay.pair();
    const sent = await bob.send('frank@acme', { artifacts: [{ type: 'link', url: 'https://example.com' }] });
    const thread = await frank.get(sent.task_id, { mark_read: false });
    expect(thread).toEqual({
      task_id: sent.task_id,
      thread_id: sent.task_id,
      sender: { handle: 'bob@acme', name: 'The agent bob@acme', role: 'developer' },
      recipient: { handle: 'frank@acme', name: 'The agent frank@acme', role: 'developer' },
      status: { state: 'pending' },
      work_status: 'READY',
      intent: 'inform',
      summary: 'Please have a look.',
      artifacts: [{ type: 'link', url: 'https://example.com' }],
      proposed_action: null,
      metadata: {},
      messages: [
        {
          id: thread.messages[0]!.id,
          sequence_no: 1,
          author_id: bob.agentId,
          from: 'bob@acme',
          kind: 'summary',
          body: 'Please have a look.',
          payload: {},
          artifacts: [{ type: 'link', url: 'https://example.com' }],
          created_at: sent.created_at,
        },
      ],
      unread_messages: 1,
      created_at: sent.created_at,
      accepted_at: null,
      completed_at: null,
      cancelled_at: null,
      completed_summary: null,
      completion_artifacts: [],
      delivery: {
        stored: { at: sent.created_at },
        notified: { cause: 'the recipient has no notification channel' },
        listed: { cause: 'the recipient has not listed its inbox since' },
        opened: { cause: 'the recipient has not read the thread' },
        accepted: { cause: 'the recipient has not accepted it' },
        completed: { cause: 'it was not accepted yet' },
      },
      inbox_url: `${relay.url}/inbox/${sent.task_id}`,
      version: 1,
      updated_at: sent.created_at,
    });
  });

  it.each([
    [{}, [1, 2, 3, 4, 5]],
    [{ history_length: 0 }, []],
    [{ history_length: 2 }, [4, 5]],
    [{ history_length: 99 }, [1, 2, 3, 4, 5]],
    [{ after_sequence_no: 0 }, [1, 2, 3, 4, 5]],
    [{ after_sequence_no: 3 }, [4, 5]],
    [{ after_sequence_no: 5 }, []],
    [{ after_sequence_no: 1, history_length: 2 }, [4, 5]],
  ])('with %p returns the messages %p, always with the summary', async (params, expected) => {
    const { frank, id } = await thread();
    const read = await frank.get(id, params);
    expect(read.messages.map((message) => message.sequence_no)).toEqual(expected);
    expect(read).not.toHaveProperty('history');
    expect(read.summary).toBe('Please have a look.');
  });

  it('does not move the reading position with mark_read false', async () => {
    const { frank, id } = await thread();
    expect((await frank.get(id, { mark_read: false })).unread_messages).toBe(3);
    expect((await frank.get(id, { mark_read: false })).unread_messages).toBe(3);
    expect((await frank.get(id)).unread_messages).toBe(0);
    expect((await frank.get(id, { mark_read: false })).unread_messages).toBe(0);
  });

  it('counts as unread only what others wrote, on each side', async () => {
    const { bob, frank, id } = await thread();
    expect((await bob.get(id)).unread_messages).toBe(0);
    expect((await frank.get(id, { mark_read: false })).unread_messages).toBe(3);
    await frank.append(id, 'six');
    expect((await bob.get(id, { mark_read: false })).unread_messages).toBe(1);
    expect((await frank.get(id, { mark_read: false })).unread_messages).toBe(3);
  });

  it('moves the position only up to where reading closes the gap', async () => {
    const { frank, id } = await thread();
    // The newest two leave 1 to 3 unread: nothing is marked.
    expect((await frank.get(id, { history_length: 2 })).unread_messages).toBe(3);
    expect((await frank.get(id, { after_sequence_no: 1 })).unread_messages).toBe(3);
    expect((await frank.get(id, { history_length: 0 })).unread_messages).toBe(3);
    expect((await frank.get(id)).unread_messages).toBe(0);
  });

  it('goes on from the position when what follows it is read in parts', async () => {
    const { bob, frank, id } = await thread();
    await frank.get(id);
    await bob.append(id, 'six');
    await bob.append(id, 'seven');
    expect((await frank.get(id, { after_sequence_no: 6 })).unread_messages).toBe(2);
    expect((await frank.get(id, { after_sequence_no: 5 })).unread_messages).toBe(0);
    expect(
      await relay.database.query('SELECT sequence_no, others_read FROM read_positions WHERE agent_id = $1', [
        frank.agentId,
      ]),
    ).toEqual([{ sequence_no: 7, others_read: 5 }]);
  });

  it('keeps the position of the agent and of the person behind it apart', async () => {
    const { frank, id } = await thread();
    const human = await relay.humanOf(frank);
    expect((await human.get(id)).unread_messages).toBe(0);
    expect((await frank.get(id, { mark_read: false })).unread_messages).toBe(3);
    await frank.get(id);
    expect((await human.get(id, { mark_read: false })).unread_messages).toBe(0);
  });

  it('leaves the handoff itself as it was: reading moves no time and no version', async () => {
    const { bob, frank, id } = await thread();
    const before = await bob.get(id);
    await frank.get(id);
    const after = await bob.get(id);
    expect([after.updated_at, after.version]).toEqual([before.updated_at, before.version]);
  });
});
