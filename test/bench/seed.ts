import { Client } from 'pg';

/** Handoffs that one statement writes: events of one transaction share its id, as those of one busy moment would. */
const CHUNK = 50_000;
/** Time between two handoffs: a million of them are 200 days of a large team. */
const SPACING_SECONDS = 17;
/** Everything has happened by now: no handoff takes longer than this from its creation to its end. */
const LONGEST_SECONDS = 10_800;

/**
 * Stores `count` handoffs between the agents that the database has, straight in SQL: the rows that sending, reading, accepting,
 * answering, completing and cancelling write, under all constraints and triggers. The first agent (by handle) receives every fifth.
 * The same call gives the same handoffs, but for their times.
 */
export async function seedHandoffs(url: string, count: number): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of FUNCTIONS) await client.query(statement);
    for (let first = 1; first <= count; first += CHUNK) {
      await client.query('BEGIN');
      await client.query(PLAN, [first, Math.min(first + CHUNK - 1, count), count]);
      for (const statement of WRITES) await client.query(statement);
      await client.query('DROP TABLE plan');
      await client.query('COMMIT');
    }
    // What autovacuum would have done in the time that these handoffs stand for.
    await client.query('VACUUM (ANALYZE)');
  } finally {
    await client.end();
  }
}

/** A thread of so many messages, both sides in turn, between the first two agents; answers its id. */
export async function seedLongThread(url: string, messages: number): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of FUNCTIONS) await client.query(statement);
    const { rows } = await client.query<{ id: string }>(LONG_THREAD, [messages]);
    await client.query('VACUUM (ANALYZE)');
    return rows[0]?.id ?? '';
  } finally {
    await client.end();
  }
}

const FUNCTIONS = [
  // An id as the relay makes them (UUIDv7): the time first, so that indexes grow at one end.
  `CREATE FUNCTION pg_temp.id_at(at timestamptz, salt text) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5(salt), 1, 3)
      || substr('89ab', 1 + abs(hashtext(salt) % 4), 1) || substr(md5(salt), 4, 15))::uuid
  $$`,
  // An even share of [0, 1) that depends on nothing but its arguments.
  `CREATE FUNCTION pg_temp.share(n integer, purpose integer) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT (hashint4extended(n, purpose) & 1048575) / 1048576.0::double precision
  $$`,
];

/** What becomes of each handoff. A few agents have most of them: the shares are squared. */
const PLAN = `
  CREATE TEMP TABLE plan AS
  WITH team AS (
    SELECT array_agg(id ORDER BY handle) AS ids, count(*)::integer AS size FROM agents
  ), cast_of AS (
    SELECT n, ids, size,
      CASE WHEN n % 5 = 0 THEN 1 ELSE 2 + floor((size - 1) * pg_temp.share(n, 1) ^ 2)::integer END AS recipient,
      1 + floor(size * pg_temp.share(n, 2) ^ 2)::integer AS sender,
      pg_temp.share(n, 3) AS fate, pg_temp.share(n, 4) AS care,
      date_trunc('milliseconds', now()) - make_interval(secs => ${LONGEST_SECONDS} + ($3 - n) * ${SPACING_SECONDS}) AS created_at
    FROM generate_series($1::integer, $2) n, team
  ), decided AS (
    SELECT n, ids[CASE WHEN sender = recipient THEN 1 + sender % size ELSE sender END] AS sender_id, ids[recipient] AS recipient_id, created_at, care,
      CASE WHEN fate < 0.6 THEN 'completed' WHEN fate < 0.75 THEN 'accepted' WHEN fate < 0.9 THEN 'pending' ELSE 'cancelled' END AS status,
      (ARRAY['inform', 'ask_question', 'propose_action'])[1 + n % 3] AS intent,
      make_interval(secs => 60 + round(1000 * 3000 * pg_temp.share(n, 5)) / 1000) AS step
    FROM cast_of
  )
  SELECT n, pg_temp.id_at(created_at, 'handoff' || n) AS id, sender_id, recipient_id, created_at, status, intent, care, step,
    status IN ('accepted', 'completed') AS taken,
    status IN ('accepted', 'completed') AND care < 0.5 AS answered,
    'Please look at change ' || n || ': ' || repeat('the list is paginated now and clients have to follow. ', 6) AS summary
  FROM decided`;

/** Each step of a life is one `step` after the one before: created, accepted, answered, completed or cancelled. */
const ACCEPTED_AT = `CASE WHEN taken THEN created_at + step END`;
const ANSWERED_AT = `CASE WHEN answered THEN created_at + 2 * step END`;
const COMPLETED_AT = `CASE WHEN status = 'completed' THEN created_at + 3 * step END`;
const CANCELLED_AT = `CASE WHEN status = 'cancelled' THEN created_at + step END`;
const HAS_RESULT = `(status = 'completed')::integer`;
const MESSAGE_COUNT = `1 + answered::integer + ${HAS_RESULT}`;
const OPENED = `(taken OR care < 0.3)`;

const ARTIFACTS = `json_build_array(
  json_build_object('type', 'file_diff', 'path', 'src/api/users-' || n || '.ts', 'diff', repeat('+ return page(items, cursor);' || chr(10), 16)),
  json_build_object('type', 'test_command', 'command', 'npm test -- users-' || n))`;

const WRITES = [
  `INSERT INTO handoffs (id, sender_id, recipient_id, status, intent, summary_preview, artifact_count, proposed_action, metadata, version,
     message_count, sender_message_count, recipient_message_count, outcome, accepted_session_id, accepted_version, listed_at, opened_at,
     created_at, updated_at, accepted_at, completed_at, cancelled_at)
   SELECT id, sender_id, recipient_id, status, intent, left(summary, 240), 2,
     CASE WHEN intent = 'propose_action' THEN json_build_object('description', 'Adapt the client.', 'target_files', json_build_array('src/client.ts'), 'rationale', 'The answer has another shape.') END,
     '{}', 1 + taken::integer + (status IN ('completed', 'cancelled'))::integer,
     ${MESSAGE_COUNT}, 1, answered::integer + ${HAS_RESULT},
     CASE WHEN status = 'completed' THEN 'answered' END,
     CASE WHEN taken THEN 'session-' || n END, CASE WHEN taken THEN 2 END,
     CASE WHEN ${OPENED} THEN created_at + step / 4 END, CASE WHEN ${OPENED} THEN created_at + step / 2 END,
     created_at, coalesce(${COMPLETED_AT}, ${CANCELLED_AT}, ${ANSWERED_AT}, ${ACCEPTED_AT}, created_at),
     ${ACCEPTED_AT}, ${COMPLETED_AT}, ${CANCELLED_AT}
   FROM plan ORDER BY n`,

  `INSERT INTO messages (handoff_id, sequence_no, id, author_id, kind, body, payload, artifacts, created_at)
   SELECT p.id, m.sequence_no, pg_temp.id_at(m.at, 'message' || n || '.' || m.sequence_no), m.author_id, m.kind, m.body, '{}', m.artifacts, m.at
   FROM plan p CROSS JOIN LATERAL (
     SELECT 1 AS sequence_no, sender_id AS author_id, 'summary' AS kind, summary AS body, ${ARTIFACTS} AS artifacts, created_at AS at
     UNION ALL SELECT 2, recipient_id, 'message', 'Which page size do you use by default?', '[]', ${ANSWERED_AT} WHERE answered
     UNION ALL SELECT ${MESSAGE_COUNT}, recipient_id, 'result', 'The client is adapted and its tests pass.', '[]', ${COMPLETED_AT} WHERE status = 'completed'
   ) m ORDER BY n, m.sequence_no`,

  // The recipient has read the summary; half of the senders have come back to read the result.
  `INSERT INTO read_positions (handoff_id, agent_id, principal, sequence_no, others_read)
   SELECT id, recipient_id, 'agent', 1, 1 FROM plan WHERE ${OPENED}
   UNION ALL SELECT id, sender_id, 'agent', ${MESSAGE_COUNT}, ${MESSAGE_COUNT} - 1 FROM plan WHERE status = 'completed' AND care < 0.5`,

  `INSERT INTO events (transaction_id, id, type, actor_kind, actor_id, handoff_id, sender_id, recipient_id, payload, request_id, created_at)
   SELECT pg_current_xact_id()::text::bigint, pg_temp.id_at(e.at, e.type || n), e.type, 'agent', e.actor_id, p.id, sender_id, recipient_id, e.payload,
     pg_temp.id_at(e.at, 'request' || e.type || n)::text, e.at
   FROM plan p CROSS JOIN LATERAL (
     SELECT 'handoff.created' AS type, sender_id AS actor_id, json_build_object('intent', intent) AS payload, created_at AS at
     UNION ALL SELECT 'handoff.accepted', recipient_id, json_build_object('version', 2, 'sequence_no', 1), ${ACCEPTED_AT} WHERE taken
     UNION ALL SELECT 'message.appended', recipient_id, json_build_object('version', 2, 'sequence_no', 2), ${ANSWERED_AT} WHERE answered
     UNION ALL SELECT 'handoff.completed', recipient_id, json_build_object('version', 3, 'sequence_no', ${MESSAGE_COUNT}), ${COMPLETED_AT} WHERE status = 'completed'
     UNION ALL SELECT 'handoff.cancelled', sender_id, json_build_object('version', 2, 'sequence_no', 1), ${CANCELLED_AT} WHERE status = 'cancelled'
   ) e ORDER BY e.at`,

  // Older records have expired and been removed.
  `INSERT INTO idempotency_records (scope, command, key, arguments_hash, handoff_id, version, sequence_no, created_at, expires_at)
   SELECT sender_id || '/agent', 'handoff.send', 'key-' || n, sha256(id::text::bytea), id, 1, 1, created_at, created_at + interval '24 hours'
   FROM plan WHERE created_at > now() - interval '23 hours'`,
];

const LONG_THREAD = `
  WITH two AS (
    SELECT min(id::text) FILTER (WHERE place = 1)::uuid AS sender_id, min(id::text) FILTER (WHERE place = 2)::uuid AS recipient_id,
      date_trunc('milliseconds', now()) - make_interval(secs => $1::integer) AS since
    FROM (SELECT id, row_number() OVER (ORDER BY handle) AS place FROM agents) a
  ), handoff AS (
    INSERT INTO handoffs (id, sender_id, recipient_id, intent, summary_preview, artifact_count, metadata, message_count,
      sender_message_count, recipient_message_count, created_at, updated_at)
    SELECT pg_temp.id_at(since, 'thread'), sender_id, recipient_id, 'inform', 'A long conversation.', 0, '{}', $1, ($1 + 1) / 2, $1 / 2,
      since + interval '1 second', since + make_interval(secs => $1)
    FROM two RETURNING id
  ), said AS (
    INSERT INTO messages (handoff_id, sequence_no, id, author_id, kind, body, payload, artifacts, created_at)
    SELECT handoff.id, n, pg_temp.id_at(since, 'thread' || n), CASE WHEN n % 2 = 1 THEN sender_id ELSE recipient_id END,
      CASE WHEN n = 1 THEN 'summary' ELSE 'message' END, 'Message ' || n || ': ' || repeat('the next cursor is opaque. ', 10), '{}', '[]',
      since + make_interval(secs => n)
    FROM generate_series(1, $1) n, handoff, two
  ), told AS (
    INSERT INTO events (transaction_id, id, type, actor_kind, actor_id, handoff_id, sender_id, recipient_id, payload, request_id, created_at)
    SELECT pg_current_xact_id()::text::bigint, pg_temp.id_at(since, 'told' || n), CASE WHEN n = 1 THEN 'handoff.created' ELSE 'message.appended' END,
      'agent', CASE WHEN n % 2 = 1 THEN sender_id ELSE recipient_id END, handoff.id, sender_id, recipient_id,
      CASE WHEN n = 1 THEN json_build_object('intent', 'inform') ELSE json_build_object('version', 1, 'sequence_no', n) END,
      'seed', since + make_interval(secs => n)
    FROM generate_series(1, $1) n, handoff, two
  )
  SELECT id FROM handoff`;
