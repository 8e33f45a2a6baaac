import { useRelay } from '@agentrelay/testing';

const relay = useRelay();

/** The name of what refused a statement: a constraint, or the message of a rule. */
async function refusedBy(statement: string, values: unknown[] = []): Promise<string> {
  try {
    await relay.database.query(statement, values);
  } catch (error) {
    const { code, constraint, message } = error as { code: string; constraint?: string; message: string };
    return constraint ?? `${code} ${message}`;
  }
  return 'nothing';
}

async function handoff() {
  const { bob, frank } = await relay.pair();
  const { task_id: id } = await bob.send('frank@acme');
  return { bob, frank, id };
}

describe('a handoff row', () => {
  it.each([
    ['recipient_id = sender_id', 'handoffs_two_agents'],
    [`intent = 'order'`, 'handoffs_intent_known'],
    [`status = 'completed', completed_at = now(), outcome = 'held'`, '23514 a pending handoff cannot become completed'],
    [`proposed_action = '{}'`, 'handoffs_proposed_action_iff_intent'],
    [`intent = 'propose_action'`, 'handoffs_proposed_action_iff_intent'],
    [`status = 'accepted'`, 'handoffs_accepted_at_iff_status'],
    [`accepted_at = now(), accepted_version = 1`, 'handoffs_accepted_at_iff_status'],
    [`status = 'accepted', accepted_at = now()`, 'handoffs_accepted_version_iff_accepted'],
    [`completed_at = now()`, 'handoffs_completed_at_iff_status'],
    [`outcome = 'answered'`, 'handoffs_outcome_iff_completed'],
    [`status = 'cancelled'`, 'handoffs_cancelled_at_iff_status'],
    [`cancelled_at = now()`, 'handoffs_cancelled_at_iff_status'],
    [`traceparent = '00-1-2-01'`, 'handoffs_traceparent_is_one'],
    ['thread_bytes = 0', 'handoffs_thread_bytes_positive'],
    ['version = 0', 'handoffs_counts'],
    ['artifact_count = -1', 'handoffs_counts'],
    ['sender_message_count = 0', 'handoffs_counts'],
    ['recipient_message_count = -1', 'handoffs_counts'],
    ['sender_message_count = 2', 'handoffs_counts'],
    ['sender_id = gen_random_uuid()', 'handoffs_sender_id_fkey'],
    ['recipient_id = gen_random_uuid()', 'handoffs_recipient_id_fkey'],
  ])('cannot be set to %s: %s', async (assignment, rule) => {
    await handoff();
    expect(await refusedBy(`UPDATE handoffs SET ${assignment}`)).toBe(rule);
  });

  it('knows only its four states', async () => {
    const { bob, frank } = await relay.pair();
    const insert = `INSERT INTO handoffs
      (id, sender_id, recipient_id, status, intent, summary_preview, artifact_count, metadata, created_at, updated_at)
      VALUES (gen_random_uuid(), $1, $2, 'rejected', 'inform', 'x', 0, '{}', now(), now())`;
    expect(await refusedBy(insert, [bob.agentId, frank.agentId])).toBe('handoffs_status_known');
  });

  it('knows only the outcomes of the vocabulary', async () => {
    const { frank, id } = await handoff();
    await frank.accept(id);
    const complete = `UPDATE handoffs SET status = 'completed', completed_at = now(), outcome = 'held'`;
    expect(await refusedBy(complete)).toBe('handoffs_outcome_known');
  });

  /** Assignments that satisfy every CHECK, so that only the rule on states can refuse. */
  const TO: Record<string, string> = {
    pending: `status = 'pending', accepted_at = NULL, accepted_version = NULL, completed_at = NULL, outcome = NULL, cancelled_at = NULL`,
    accepted: `status = 'accepted', accepted_at = now(), accepted_version = 2, completed_at = NULL, outcome = NULL, cancelled_at = NULL`,
    completed: `status = 'completed', accepted_at = now(), accepted_version = 2, completed_at = now(), outcome = 'answered', cancelled_at = NULL`,
    cancelled: `status = 'cancelled', accepted_at = NULL, accepted_version = NULL, completed_at = NULL, outcome = NULL, cancelled_at = now()`,
  };
  const LEGAL = ['pending→accepted', 'pending→cancelled', 'accepted→completed'];
  const STATES = Object.keys(TO);

  it.each(STATES)('that is %s goes to the next states only, and never back', async (from) => {
    const { bob, frank, id } = await handoff();
    if (from === 'cancelled') await bob.cancel(id);
    if (from === 'accepted' || from === 'completed') await frank.accept(id);
    if (from === 'completed') await frank.complete(id);
    for (const to of STATES.filter((state) => state !== from)) {
      const rule = await relay.database.inTransaction((client) =>
        client.query(`UPDATE handoffs SET ${TO[to]}`).then(
          () => 'nothing',
          (error: unknown) => (error as Error).message,
        ),
      );
      const legal = LEGAL.includes(`${from}→${to}`);
      expect([from, to, rule]).toEqual([from, to, legal ? 'nothing' : `a ${from} handoff cannot become ${to}`]);
    }
  });
});

describe('a message row', () => {
  const insert = (sequence: number, kind: string, author: string | null) =>
    `INSERT INTO messages SELECT id, ${sequence}, gen_random_uuid(), ${author ?? 'NULL'}, '${kind}', 'x', '{}', '[]', now() FROM handoffs`;

  it.each([
    [1, 'summary', 'sender_id', 'messages_pkey'],
    [0, 'message', 'sender_id', 'messages_sequence_starts_at_one'],
    [2, 'rumour', 'sender_id', 'messages_kind_known'],
    [2, 'summary', 'sender_id', 'messages_first_is_summary'],
    [2, 'message', null, 'messages_author_unless_system'],
    [2, 'draft', null, 'messages_author_unless_system'],
    [2, 'message', 'gen_random_uuid()', 'messages_author_id_fkey'],
  ])('number %i of kind %s by %s is refused: %s', async (sequence, kind, author, rule) => {
    await handoff();
    expect(await refusedBy(insert(sequence, kind, author))).toBe(rule);
  });

  it.each(['system', 'result'])('of kind %s may be written by the relay itself', async (kind) => {
    await handoff();
    expect(await refusedBy(insert(2, kind, null))).toBe('nothing');
  });

  it('of the first number is the summary', async () => {
    await handoff();
    await relay.database.query('DELETE FROM messages');
    expect(await refusedBy(insert(1, 'message', 'sender_id'))).toBe('messages_first_is_summary');
  });

  it('that is a result comes once per thread', async () => {
    const { frank, id } = await handoff();
    await frank.accept(id);
    await frank.complete(id);
    expect(await refusedBy(insert(3, 'result', 'recipient_id'))).toBe('messages_one_result_key');
  });

  it.each(['body = body', `body = 'x'`, 'sequence_no = 7', 'author_id = author_id'])(
    'never changes (%s)',
    async (assignment) => {
      await handoff();
      expect(await refusedBy(`UPDATE messages SET ${assignment}`)).toBe('23514 messages rows are immutable');
    },
  );

  it('counts at least the bytes of its text', async () => {
    await handoff();
    const counted = `INSERT INTO messages SELECT id, 2, gen_random_uuid(), sender_id, 'message', 'ééé', '{}', '[]', now(), 6 FROM handoffs`;
    expect(await refusedBy(counted)).toBe('messages_bytes_cover_the_body');
  });

  it('keeps its thread from being deleted under it', async () => {
    await handoff();
    expect(await refusedBy('DELETE FROM handoffs')).toBe('messages_handoff_id_fkey');
  });
});

describe('an event row', () => {
  it.each(['type = type', `payload = '{}'`, `actor_name = 'x'`])('never changes (%s)', async (assignment) => {
    await handoff();
    expect(await refusedBy(`UPDATE events SET ${assignment}`)).toBe('23514 events rows are immutable');
  });

  it.each([
    ['actor_kind', `'system'`, 'events_actor_id_iff_participant'],
    ['actor_kind', `'admin'`, 'events_actor_id_iff_participant'],
    ['actor_id', 'NULL', 'events_actor_id_iff_participant'],
    ['actor_name', `'x'`, 'events_actor_name_iff_admin'],
    ['sender_id', 'NULL', 'events_of_a_thread_or_an_agent'],
    ['handoff_id', 'NULL', 'events_of_a_thread_or_an_agent'],
    ['agent_id', 'actor_id', 'events_of_a_thread_or_an_agent'],
  ])('with %s %s beside what a message leaves is refused: %s', async (column, value, rule) => {
    await handoff();
    const columns = ['actor_kind', 'actor_id', 'actor_name', 'handoff_id', 'sender_id', 'recipient_id', 'agent_id'];
    const values = columns.map((name) => (name === column ? value : name));
    const insert = `INSERT INTO events (transaction_id, id, type, ${columns.join(', ')}, payload, request_id, created_at)
      SELECT transaction_id, gen_random_uuid(), type, ${values.join(', ')}, payload, request_id, created_at
      FROM events WHERE type = 'handoff.created'`;
    expect(await refusedBy(insert)).toBe(rule);
  });

  const AGENT_ONLY = 'NULL, NULL, NULL, gen_random_uuid()';

  it.each([
    ['system', 'nobody', 'NULL, NULL, NULL, NULL', 'events_of_a_thread_or_an_agent'],
    [
      'system',
      'an agent and a thread',
      AGENT_ONLY.replaceAll('NULL', 'gen_random_uuid()'),
      'events_of_a_thread_or_an_agent',
    ],
    ['robot', 'an agent', AGENT_ONLY, 'events_actor_kind_known'],
    ['system', 'an agent', AGENT_ONLY, 'nothing'],
  ])('by a %s that concerns %s (%s) meets %s', async (kind, _, audience, rule) => {
    const insert = `INSERT INTO events (transaction_id, id, type, actor_kind, handoff_id, sender_id, recipient_id, agent_id, payload, request_id, created_at)
      VALUES (1, gen_random_uuid(), 'x', '${kind}', ${audience}, '{}', 'r', now())`;
    expect(await refusedBy(insert)).toBe(rule);
  });
});
