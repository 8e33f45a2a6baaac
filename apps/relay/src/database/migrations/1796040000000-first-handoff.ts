import type { MigrationInterface, QueryRunner } from 'typeorm';

/** People, agents, keys, blocks, the handoff with its thread, the event log and idempotency records. */
export class FirstHandoff1796040000000 implements MigrationInterface {
  name = 'FirstHandoff1796040000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...PEOPLE, ...INVITES, ...THREADS, ...LOG, ...RULES]) await runner.query(statement);
  }

  /** Migrations are forward-only: going back is a restore. */
  down(): Promise<void> {
    return Promise.reject(new Error('Migrations are forward-only; restore a backup instead.'));
  }
}

const PEOPLE = [
  `CREATE TABLE owners (
    id uuid CONSTRAINT owners_pkey PRIMARY KEY,
    email text,
    display_name text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT owners_email_not_empty CHECK (email <> ''),
    CONSTRAINT owners_display_name_not_empty CHECK (display_name <> '')
  )`,
  `CREATE UNIQUE INDEX owners_email_key ON owners (lower(email))`,

  `CREATE TABLE agents (
    id uuid CONSTRAINT agents_pkey PRIMARY KEY,
    handle text NOT NULL CONSTRAINT agents_handle_key UNIQUE,
    owner_id uuid NOT NULL CONSTRAINT agents_owner_id_fkey REFERENCES owners (id),
    display_name text NOT NULL,
    role text NOT NULL DEFAULT '',
    status text NOT NULL DEFAULT 'active',
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT agents_handle_canonical CHECK (handle ~ '^[a-z0-9._-]+@[a-z0-9._-]+$' AND length(handle) <= 120),
    CONSTRAINT agents_status_known CHECK (status IN ('active', 'disabled'))
  )`,
  `CREATE INDEX agents_owner_id_idx ON agents (owner_id)`,
  `CREATE INDEX agents_local_part_idx ON agents (split_part(handle, '@', 1))`,

  `CREATE TABLE cards (
    agent_id uuid CONSTRAINT cards_pkey PRIMARY KEY CONSTRAINT cards_agent_id_fkey REFERENCES agents (id),
    description text NOT NULL DEFAULT '',
    skills text[] NOT NULL DEFAULT '{}',
    repos_owned text[] NOT NULL DEFAULT '{}',
    updated_at timestamptz(3) NOT NULL DEFAULT now()
  )`,

  `CREATE TABLE api_keys (
    id uuid CONSTRAINT api_keys_pkey PRIMARY KEY,
    public_id text NOT NULL CONSTRAINT api_keys_public_id_key UNIQUE,
    agent_id uuid NOT NULL CONSTRAINT api_keys_agent_id_fkey REFERENCES agents (id),
    principal text NOT NULL,
    pepper_id text NOT NULL,
    secret_mac bytea NOT NULL,
    label text NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3),
    last_used_at timestamptz(3),
    revoked_at timestamptz(3),
    CONSTRAINT api_keys_principal_known CHECK (principal IN ('agent', 'human')),
    CONSTRAINT api_keys_secret_mac_is_sha256 CHECK (length(secret_mac) = 32)
  )`,
  `CREATE INDEX api_keys_agent_id_idx ON api_keys (agent_id)`,

  `CREATE TABLE blocks (
    blocker_id uuid NOT NULL CONSTRAINT blocks_blocker_id_fkey REFERENCES agents (id),
    blocked_id uuid NOT NULL CONSTRAINT blocks_blocked_id_fkey REFERENCES agents (id),
    reason text,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    CONSTRAINT blocks_pkey PRIMARY KEY (blocker_id, blocked_id),
    CONSTRAINT blocks_two_agents CHECK (blocker_id <> blocked_id)
  )`,
  `CREATE INDEX blocks_blocked_id_idx ON blocks (blocked_id)`,
];

const INVITES = [
  `CREATE TABLE invites (
    jti uuid CONSTRAINT invites_pkey PRIMARY KEY,
    handle text NOT NULL,
    role text NOT NULL,
    inviter_id uuid NOT NULL CONSTRAINT invites_inviter_id_fkey REFERENCES agents (id),
    email text,
    pepper_id text NOT NULL,
    secret_mac bytea NOT NULL,
    created_at timestamptz(3) NOT NULL DEFAULT now(),
    expires_at timestamptz(3) NOT NULL,
    redeemed_at timestamptz(3),
    redeemed_agent_id uuid CONSTRAINT invites_redeemed_agent_id_fkey REFERENCES agents (id),
    revoked_at timestamptz(3),
    CONSTRAINT invites_handle_canonical CHECK (handle ~ '^[a-z0-9._-]+@[a-z0-9._-]+$' AND length(handle) <= 120),
    CONSTRAINT invites_secret_mac_is_sha256 CHECK (length(secret_mac) = 32),
    CONSTRAINT invites_redeemed_as_a_whole CHECK ((redeemed_at IS NULL) = (redeemed_agent_id IS NULL))
  )`,
  `CREATE INDEX invites_expires_at_idx ON invites (expires_at)`,
];

const THREADS = [
  `CREATE TABLE handoffs (
    id uuid CONSTRAINT handoffs_pkey PRIMARY KEY,
    sender_id uuid NOT NULL CONSTRAINT handoffs_sender_id_fkey REFERENCES agents (id),
    recipient_id uuid NOT NULL CONSTRAINT handoffs_recipient_id_fkey REFERENCES agents (id),
    status text NOT NULL DEFAULT 'pending',
    intent text NOT NULL,
    summary_preview text NOT NULL,
    artifact_count integer NOT NULL,
    proposed_action json,
    metadata json NOT NULL,
    version integer NOT NULL DEFAULT 1,
    message_count integer NOT NULL DEFAULT 1,
    sender_message_count integer NOT NULL DEFAULT 1,
    recipient_message_count integer NOT NULL DEFAULT 0,
    outcome text,
    accepted_session_id text,
    accepted_version integer,
    listed_at timestamptz(3),
    opened_at timestamptz(3),
    created_at timestamptz(3) NOT NULL,
    updated_at timestamptz(3) NOT NULL,
    accepted_at timestamptz(3),
    completed_at timestamptz(3),
    cancelled_at timestamptz(3),
    CONSTRAINT handoffs_two_agents CHECK (sender_id <> recipient_id),
    CONSTRAINT handoffs_status_known CHECK (status IN ('pending', 'accepted', 'completed', 'cancelled')),
    CONSTRAINT handoffs_intent_known CHECK (intent IN ('inform', 'ask_question', 'propose_action')),
    CONSTRAINT handoffs_outcome_known CHECK (outcome IN ('answered', 'failed')),
    CONSTRAINT handoffs_proposed_action_iff_intent CHECK ((intent = 'propose_action') = (proposed_action IS NOT NULL)),
    CONSTRAINT handoffs_accepted_at_iff_status CHECK ((status IN ('accepted', 'completed')) = (accepted_at IS NOT NULL)),
    CONSTRAINT handoffs_accepted_version_iff_accepted CHECK ((accepted_at IS NULL) = (accepted_version IS NULL)),
    CONSTRAINT handoffs_completed_at_iff_status CHECK ((status = 'completed') = (completed_at IS NOT NULL)),
    CONSTRAINT handoffs_outcome_iff_completed CHECK ((status = 'completed') = (outcome IS NOT NULL)),
    CONSTRAINT handoffs_cancelled_at_iff_status CHECK ((status = 'cancelled') = (cancelled_at IS NOT NULL)),
    CONSTRAINT handoffs_counts CHECK (
      version >= 1 AND artifact_count >= 0 AND sender_message_count >= 1 AND recipient_message_count >= 0
      AND message_count >= sender_message_count + recipient_message_count
    )
  )`,
  `CREATE INDEX handoffs_recipient_list_idx ON handoffs (recipient_id, status, updated_at DESC, id DESC)`,
  `CREATE INDEX handoffs_ended_idx ON handoffs (updated_at) WHERE status IN ('completed', 'cancelled')`,
  `CREATE INDEX handoffs_sender_list_idx ON handoffs (sender_id, status, updated_at DESC, id DESC)`,

  `CREATE TABLE messages (
    handoff_id uuid NOT NULL CONSTRAINT messages_handoff_id_fkey REFERENCES handoffs (id),
    sequence_no integer NOT NULL,
    id uuid NOT NULL,
    author_id uuid CONSTRAINT messages_author_id_fkey REFERENCES agents (id),
    kind text NOT NULL,
    body text NOT NULL,
    payload json NOT NULL,
    artifacts json NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT messages_pkey PRIMARY KEY (handoff_id, sequence_no),
    CONSTRAINT messages_sequence_starts_at_one CHECK (sequence_no >= 1),
    CONSTRAINT messages_kind_known CHECK (kind IN ('summary', 'message', 'draft', 'result', 'system')),
    CONSTRAINT messages_first_is_summary CHECK ((kind = 'summary') = (sequence_no = 1)),
    CONSTRAINT messages_author_unless_system CHECK (author_id IS NOT NULL OR kind IN ('result', 'system'))
  )`,
  `CREATE UNIQUE INDEX messages_one_result_key ON messages (handoff_id) WHERE kind = 'result'`,

  `CREATE TABLE read_positions (
    handoff_id uuid NOT NULL CONSTRAINT read_positions_handoff_id_fkey REFERENCES handoffs (id),
    agent_id uuid NOT NULL CONSTRAINT read_positions_agent_id_fkey REFERENCES agents (id),
    principal text NOT NULL,
    sequence_no integer NOT NULL,
    others_read integer NOT NULL,
    CONSTRAINT read_positions_pkey PRIMARY KEY (handoff_id, agent_id, principal),
    CONSTRAINT read_positions_principal_known CHECK (principal IN ('agent', 'human')),
    CONSTRAINT read_positions_others_within CHECK (others_read >= 0 AND others_read <= sequence_no)
  )`,
];

const LOG = [
  `CREATE TABLE events (
    transaction_id bigint NOT NULL,
    id uuid NOT NULL,
    type text NOT NULL,
    actor_kind text NOT NULL,
    actor_id uuid,
    actor_name text,
    handoff_id uuid,
    sender_id uuid,
    recipient_id uuid,
    agent_id uuid,
    payload json NOT NULL,
    request_id text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    CONSTRAINT events_pkey PRIMARY KEY (transaction_id, id),
    CONSTRAINT events_actor_kind_known CHECK (actor_kind IN ('agent', 'human', 'admin', 'system')),
    CONSTRAINT events_actor_id_iff_participant CHECK ((actor_kind IN ('agent', 'human')) = (actor_id IS NOT NULL)),
    CONSTRAINT events_actor_name_iff_admin CHECK ((actor_kind = 'admin') = (actor_name IS NOT NULL)),
    CONSTRAINT events_of_a_thread_or_an_agent CHECK (
      (handoff_id IS NOT NULL AND sender_id IS NOT NULL AND recipient_id IS NOT NULL AND agent_id IS NULL)
      OR (handoff_id IS NULL AND sender_id IS NULL AND recipient_id IS NULL AND agent_id IS NOT NULL)
    )
  )`,
  `CREATE TABLE relay_state (
    singleton boolean NOT NULL DEFAULT true CONSTRAINT relay_state_pkey PRIMARY KEY,
    epoch integer NOT NULL DEFAULT 1,
    system_identifier text,
    removed_through bigint NOT NULL DEFAULT 0,
    CONSTRAINT relay_state_one_row CHECK (singleton)
  )`,
  `INSERT INTO relay_state DEFAULT VALUES`,
  `CREATE TABLE event_subscribers (
    name text CONSTRAINT event_subscribers_pkey PRIMARY KEY,
    transaction_id bigint NOT NULL,
    event_id uuid NOT NULL
  )`,
  `CREATE INDEX events_sender_idx ON events (sender_id, transaction_id, id) WHERE sender_id IS NOT NULL`,
  `CREATE INDEX events_recipient_idx ON events (recipient_id, transaction_id, id) WHERE recipient_id IS NOT NULL`,
  `CREATE INDEX events_agent_idx ON events (agent_id, transaction_id, id) WHERE agent_id IS NOT NULL`,

  `CREATE TABLE idempotency_records (
    scope text NOT NULL,
    command text NOT NULL,
    key text NOT NULL,
    arguments_hash bytea NOT NULL,
    handoff_id uuid,
    version integer,
    sequence_no integer,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL,
    CONSTRAINT idempotency_records_pkey PRIMARY KEY (scope, command, key),
    CONSTRAINT idempotency_records_key_length CHECK (length(key) BETWEEN 1 AND 255)
  )`,
  `CREATE INDEX idempotency_records_expires_at_idx ON idempotency_records (expires_at)`,
];

/** Rules that a column constraint cannot hold: no state goes back, what was said stays said. */
const RULES = [
  `CREATE FUNCTION refuse_illegal_handoff_state() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF (OLD.status, NEW.status) IN (('pending', 'accepted'), ('pending', 'cancelled'), ('accepted', 'completed')) THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a % handoff cannot become %', OLD.status, NEW.status USING ERRCODE = 'check_violation';
  END $$`,
  `CREATE TRIGGER handoffs_state_never_goes_back BEFORE UPDATE OF status ON handoffs FOR EACH ROW
    WHEN (OLD.status IS DISTINCT FROM NEW.status) EXECUTE FUNCTION refuse_illegal_handoff_state()`,
  `CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION '% rows are immutable', TG_TABLE_NAME USING ERRCODE = 'check_violation';
  END $$`,
  `CREATE TRIGGER messages_are_immutable BEFORE UPDATE ON messages FOR EACH ROW EXECUTE FUNCTION refuse_update()`,
  // A restore renumbers transactions; what an event says never changes.
  `CREATE TRIGGER events_are_immutable
    BEFORE UPDATE OF id, type, actor_kind, actor_id, actor_name, handoff_id, sender_id, recipient_id, agent_id, payload,
      request_id, created_at
    ON events FOR EACH ROW EXECUTE FUNCTION refuse_update()`,
];
