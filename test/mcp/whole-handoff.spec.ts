import { eventually, McpSession, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();
const sessions: McpSession[] = [];

async function sessionOf(agent: TestAgent): Promise<McpSession> {
  const session = await McpSession.start({ AGENTRELAY_URL: agent.url, AGENTRELAY_API_KEY: agent.apiKey });
  sessions.push(session);
  return session;
}

/** What `wait_for_updates` tells next. It answers at once while something is unread, which can be before the log shows why. */
function newsFor(session: McpSession): Promise<unknown[]> {
  return eventually('there is news', async () => {
    const { structured } = await session.call('wait_for_updates');
    const updates = structured['updates'] as unknown[];
    return updates.length > 0 && updates;
  });
}

afterEach(async () => {
  await Promise.all(sessions.splice(0).map((session) => session.stop()));
});

describe('two agents with an MCP server each', () => {
  it('hand over, accept, talk both ways, complete and read the result', async () => {
    const bob = await sessionOf(await relay.agent('bob@acme'));
    const frank = await sessionOf(await relay.agent('frank@acme'));

    const sent = await bob.call('handoff_to_teammate', {
      to: 'frank@acme',
      intent: 'ask_question',
      summary: 'Refactored /users.',
      question: 'Cursor in both directions?',
      artifacts: [{ type: 'test_command', command: 'npm test' }],
    });
    const threadId = sent.structured['thread_id'] as string;
    expect(sent.structured).toEqual({
      text: sent.text,
      thread_id: threadId,
      status: 'pending',
      recipient: 'frank@acme',
      created_at: expect.stringMatching(/Z$/) as string,
      inbox_url: `${relay.url}/inbox/${threadId}`,
    });

    const inbox = await frank.call('check_inbox');
    expect(inbox.structured).toMatchObject({
      items: [{ thread_id: threadId, status: 'pending', unread_messages: 1 }],
      next_cursor: null,
      unread_total: 1,
      answers: [],
    });

    const accepted = await frank.call('accept_handoff', { thread_id: threadId });
    expect(accepted.structured).toMatchObject({ accepted: true, status: 'accepted', text: accepted.text });
    expect(accepted.text).toContain('| Refactored /users.');
    expect(accepted.text).toContain('question:\n| Cursor in both directions?');

    await frank.call('send_message', { thread_id: threadId, body: 'Which page size?' });
    const reply = await bob.call('send_message', { thread_id: threadId, body: '50.', payload: { page_size: 50 } });
    expect(reply.structured).toMatchObject({ thread_id: threadId, sequence_no: 3 });

    const completed = await frank.call('complete_handoff', {
      thread_id: threadId,
      result_summary: 'Forward is enough.',
    });
    expect(completed.structured).toMatchObject({ thread_id: threadId, status: 'completed', outcome: 'answered' });

    const answers = await bob.call('check_inbox');
    expect(answers.structured).toMatchObject({ items: [], answers: [{ thread_id: threadId, unread_messages: 2 }] });

    const read = await bob.call('view_thread', { thread_id: threadId });
    expect(read.structured).toMatchObject({ status: 'completed', outcome: 'answered', text: read.text });
    expect(read.structured).not.toHaveProperty('next_from');
    const blocks = [...read.text.matchAll(/^message (\d) \([^)]*\)(.*):\n\| (.*)$/gm)].map((found) => found.slice(1));
    expect(blocks).toEqual([
      ['1', ' (your own words)', 'Refactored /users.'],
      ['2', '', 'Which page size?'],
      ['3', ' (your own words)', '50.'],
      ['4', '', 'Forward is enough.'],
    ]);
    expect((await bob.call('check_inbox')).structured['answers']).toEqual([]);
  });

  it('withdraw a pending handoff, and are told when it is too late', async () => {
    const bob = await sessionOf(await relay.agent('bob@acme'));
    const frank = await sessionOf(await relay.agent('frank@acme'));
    const handoff = { to: 'frank@acme', intent: 'inform', summary: 'Never mind.' };
    const first = (await bob.call('handoff_to_teammate', handoff)).structured['thread_id'];
    expect((await bob.call('cancel_handoff', { thread_id: first })).structured).toMatchObject({ status: 'cancelled' });
    const second = (await bob.call('handoff_to_teammate', handoff)).structured['thread_id'];
    expect(second).not.toBe(first);
    await frank.call('accept_handoff', { thread_id: second });
    const late = await bob.call('cancel_handoff', { thread_id: second });
    expect(late).toMatchObject({ isError: true });
    expect(late.text).toContain('invalid_transition');
    expect(late.text).toContain('Nothing was stored.');
  });

  it('get the thread and the name of the other session when that one accepted first', async () => {
    const bob = await relay.agent('bob@acme');
    const frank = await relay.agent('frank@acme');
    const { task_id } = await bob.send('frank@acme');
    await frank.accept(task_id, { session_id: 'the-other-session' });
    const late = await (await sessionOf(frank)).call('accept_handoff', { thread_id: task_id });
    expect(late).toMatchObject({ isError: false, structured: { accepted: false, status: 'accepted' } });
    expect(late.text).toContain('the-other-session');
    expect(late.text).toContain('| Please have a look.');
  });

  it('are told that the user approves before a proposed action changes a file', async () => {
    const bob = await sessionOf(await relay.agent('bob@acme'));
    const frank = await sessionOf(await relay.agent('frank@acme'));
    const proposed = {
      description: 'Rename it',
      target_files: ['a.ts'],
      rationale: 'Clearer',
      suggested_diff: '-a\n+b',
    };
    const propose = { to: 'frank@acme', intent: 'propose_action', summary: 'Please rename.' };
    const refused = await bob.call('handoff_to_teammate', propose);
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toContain('proposed_action is required when intent is propose_action');
    const sent = await bob.call('handoff_to_teammate', { ...propose, proposed_action: proposed });
    const accepted = await frank.call('accept_handoff', { thread_id: sent.structured['thread_id'] });
    expect(accepted.structured).toMatchObject({ trust_overlay: { user_must_approve: true } });
    expect(accepted.text).toContain('get their approval before any file is modified');
    expect(accepted.text).toContain('suggested diff:\n| -a\n| +b');
  });

  it('are told before anything is sent that a question is too long to travel, alone or beside metadata', async () => {
    const bob = await sessionOf(await relay.agent('bob@acme'));
    await relay.agent('frank@acme');
    const ask = { to: 'frank@acme', intent: 'ask_question', summary: 'One thing.' };
    const long = await bob.call('handoff_to_teammate', { ...ask, question: 'é'.repeat(8_200) });
    expect(long.isError).toBe(true);
    expect(long.text).toContain('question must be at most 16284 bytes of JSON; put the details into summary');
    const metadata = { ticket: 'x'.repeat(10_000) };
    const beside = await bob.call('handoff_to_teammate', { ...ask, metadata, question: 'y'.repeat(7_000) });
    expect(beside.text).toContain('question must be at most 16284 bytes of JSON together with metadata');
    const whole = { ...ask, question: 'z'.repeat(16_284 - '{"question":""}'.length) };
    expect((await bob.call('handoff_to_teammate', whole)).isError).toBe(false);
    expect((await bob.call('handoff_to_teammate', { ...whole, question: `${whole.question}z` })).isError).toBe(true);
  });

  it('find each other by role, skill and owned path', async () => {
    const bob = await sessionOf(await relay.agent('bob@acme'));
    await relay.agent('frank@acme', { role: 'frontend', skills: ['react'], repos_owned: ['apps/web/'] });
    const found = await bob.call('list_teammates', { skill: 'React', repo: 'apps/web/src/index.ts' });
    expect(found.structured).toEqual({ text: found.text, teammates: [{ handle: 'frank@acme' }], next_cursor: null });
    expect(found.text).toContain(
      'frank@acme:\n| The agent frank@acme\n| role: frontend\n| skills: react\n| owns: apps/web/',
    );
  });

  it('draft a proposed change on the thread, where the other side reads it as data', async () => {
    const bob = await relay.agent('bob@acme');
    const frank = await relay.agent('frank@acme');
    const proposed_action = { description: 'Rename', target_files: ['a.ts'], rationale: 'Clearer' };
    const { task_id } = await bob.send('frank@acme', { intent: 'propose_action', proposed_action });
    await frank.accept(task_id);
    const draft = { thread_id: task_id, drafted_diff: '-a\n+b', drafted_files: ['a.ts'], rationale: 'Smallest change' };
    const drafted = await (await sessionOf(frank)).call('draft_proposed_action', draft);
    expect(drafted.structured).toMatchObject({ thread_id: task_id, sequence_no: 2 });
    const read = await (await sessionOf(bob)).call('view_thread', { thread_id: task_id });
    expect(read.text).toContain('message 2 (draft,');
    expect(read.text).toContain('| Smallest change');
  });

  it('wait for news: until it comes, each time from where they were, and not again for what they were told of', async () => {
    const bob = await relay.agent('bob@acme');
    const frank = await sessionOf(await relay.agent('frank@acme'));
    const look = { wait_seconds: 0 };
    expect((await frank.call('wait_for_updates', look)).structured).toMatchObject({ unread_messages: 0, updates: [] });
    const { task_id } = await bob.send('frank@acme');
    expect(await newsFor(frank)).toMatchObject([{ type: 'handoff.created', thread_id: task_id, actor: 'bob@acme' }]);
    // Still unread, and told: only something new ends this wait.
    const waited = frank.call('wait_for_updates');
    await bob.append(task_id, 'One more thing.');
    expect((await waited).text).toContain(`thread ${task_id}`);
    const quiet = await eventually('it was told of all', async () => {
      const { text, structured } = await frank.call('wait_for_updates', look);
      return text.includes('Nothing new.') && structured;
    });
    expect(quiet).toMatchObject({ unread_messages: 2, updates: [] });
    const again = await frank.call('wait_for_updates', { cursor: quiet['cursor'], ...look });
    expect(again.structured).toMatchObject({ updates: [], unread_messages: 2 });
  });

  it('are told at once what is unread when they first wait, unless the inbox has told them', async () => {
    const bob = await relay.agent('bob@acme');
    const frank = await relay.agent('frank@acme');
    const { task_id } = await bob.send('frank@acme');
    const told = await (await sessionOf(frank)).call('wait_for_updates');
    expect(told.structured).toMatchObject({ unread_messages: 1 });
    expect(told.text).toContain(`1 unread on thread ${task_id}`);
    const other = await sessionOf(frank);
    await other.call('check_inbox');
    const waiting = other.call('wait_for_updates');
    const second = await bob.send('frank@acme');
    expect((await waiting).text).toContain(second.task_id);
  });
});
