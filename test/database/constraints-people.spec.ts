import { useRelay } from '@agentrelay/testing';

const relay = useRelay();

async function refusedBy(statement: string, values: unknown[] = []): Promise<string> {
  return relay.database.query(statement, values).then(
    () => 'nothing',
    (error: unknown) => (error as { constraint?: string }).constraint ?? String(error),
  );
}

describe('rows about people', () => {
  it.each([
    [`UPDATE owners SET email = ''`, 'owners_email_not_empty'],
    [`UPDATE owners SET display_name = ''`, 'owners_display_name_not_empty'],
    [`INSERT INTO owners SELECT gen_random_uuid(), upper(email), 'x' FROM owners LIMIT 1`, 'owners_email_key'],
    [`DELETE FROM owners`, 'agents_owner_id_fkey'],
    [`UPDATE agents SET handle = 'Frank@acme' WHERE handle = 'frank@acme'`, 'agents_handle_canonical'],
    [`UPDATE agents SET handle = 'frank' WHERE handle = 'frank@acme'`, 'agents_handle_canonical'],
    [`UPDATE agents SET handle = repeat('x', 116) || '@acme' WHERE handle = 'bob@acme'`, 'agents_handle_canonical'],
    [`UPDATE agents SET handle = 'frank@acme' WHERE handle = 'bob@acme'`, 'agents_handle_key'],
    [`UPDATE agents SET status = 'away'`, 'agents_status_known'],
    [`UPDATE agents SET owner_id = gen_random_uuid()`, 'agents_owner_id_fkey'],
    [`UPDATE api_keys SET principal = 'robot'`, 'api_keys_principal_known'],
    [`UPDATE api_keys SET secret_mac = '\\x00'`, 'api_keys_secret_mac_is_sha256'],
    [`UPDATE api_keys SET public_id = 'one'`, 'api_keys_public_id_key'],
    [`UPDATE api_keys SET agent_id = gen_random_uuid()`, 'api_keys_agent_id_fkey'],
    [`UPDATE blocks SET blocked_id = blocker_id`, 'blocks_two_agents'],
    [`INSERT INTO blocks SELECT * FROM blocks`, 'blocks_pkey'],
    [`UPDATE blocks SET blocked_id = gen_random_uuid()`, 'blocks_blocked_id_fkey'],
    [`UPDATE blocks SET blocker_id = gen_random_uuid()`, 'blocks_blocker_id_fkey'],
    [`INSERT INTO cards (agent_id) VALUES (gen_random_uuid())`, 'cards_agent_id_fkey'],
    [`UPDATE read_positions SET principal = 'robot'`, 'read_positions_principal_known'],
    [`UPDATE read_positions SET others_read = -1`, 'read_positions_others_within'],
    [`UPDATE read_positions SET others_read = sequence_no + 1`, 'read_positions_others_within'],
    [`UPDATE invites SET handle = 'Grace@acme'`, 'invites_handle_canonical'],
    [`UPDATE invites SET handle = repeat('x', 116) || '@acme'`, 'invites_handle_canonical'],
    [`UPDATE invites SET secret_mac = '\\x00'`, 'invites_secret_mac_is_sha256'],
    [`UPDATE invites SET redeemed_at = now()`, 'invites_redeemed_as_a_whole'],
    [`UPDATE invites SET redeemed_agent_id = inviter_id`, 'invites_redeemed_as_a_whole'],
    [`UPDATE invites SET inviter_id = gen_random_uuid()`, 'invites_inviter_id_fkey'],
    [`UPDATE invites SET redeemed_at = now(), redeemed_agent_id = gen_random_uuid()`, 'invites_redeemed_agent_id_fkey'],
    [`INSERT INTO invites SELECT * FROM invites`, 'invites_pkey'],
    [`INSERT INTO relay_state (epoch_id) VALUES (gen_random_uuid())`, 'relay_state_pkey'],
    [`UPDATE relay_state SET singleton = false`, 'relay_state_one_row'],
    [`UPDATE idempotency_records SET key = ''`, 'idempotency_records_key_length'],
    [`UPDATE idempotency_records SET key = repeat('k', 256)`, 'idempotency_records_key_length'],
    [`INSERT INTO idempotency_records SELECT * FROM idempotency_records`, 'idempotency_records_pkey'],
  ])('refuse %s: %s', async (statement, rule) => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send('frank', { idempotency_key: 'k' });
    await frank.get(task_id);
    await frank.rest('POST', '/agents/me/block', { handle: 'bob' });
    await relay.admin('POST', '/admin/invites', { handle: 'grace@acme', inviter_handle: 'bob@acme' });
    expect(await refusedBy(statement)).toBe(rule);
  });
});

it('every CHECK of the schema is tried by a test of this folder', async () => {
  const { readFileSync } = await import('node:fs');
  const tests = ['constraints.spec.ts', 'constraints-people.spec.ts'].map((name) =>
    readFileSync(`${__dirname}/${name}`, 'utf8'),
  );
  const checks = await relay.database.query<{ conname: string }>(
    `SELECT conname FROM pg_constraint WHERE contype = 'c' AND connamespace = 'public'::regnamespace`,
  );
  expect(checks.length).toBeGreaterThan(20);
  expect(
    checks.map(({ conname }) => conname).filter((name) => !tests.some((test) => test.includes(`'${name}'`))),
  ).toEqual([]);
});
