import type { WireThread } from '@agentrelay/protocol';
import { type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

let bob: TestAgent;
let frank: TestAgent;
let human: TestAgent;

beforeEach(async () => {
  ({ bob, frank } = await relay.pair());
  human = await relay.humanOf(frank);
});

type Line = { kind: string } & Partial<WireThread>;

async function exported(agent: TestAgent): Promise<{ type: string | null; lines: Line[] }> {
  const response = await fetch(`${relay.url}/agents/me/export`, {
    headers: { authorization: `Bearer ${agent.apiKey}`, 'x-request-id': 'the-export' },
  });
  expect([response.status, response.headers.get('x-request-id')]).toEqual([200, 'the-export']);
  const lines = (await response.text()).split('\n');
  expect(lines.pop()).toBe('');
  return { type: response.headers.get('content-type'), lines: lines.map((line) => JSON.parse(line) as Line) };
}

describe("the export of one's own data", () => {
  it('is for people only: an agent is told so', async () => {
    expect(await frank.rest('GET', '/agents/me/export')).toMatchObject({
      status: 403,
      body: { code: 'human_required', message: 'Only a person may take their data along; use a human key.' },
    });
    expect((await relay.anonymous('GET', '/agents/me/export')).status).toBe(401);
  });

  it('is the profile and every thread of both sides in full, a line each, and nothing of others', async () => {
    const { task_id: received } = await bob.send('frank', {
      artifacts: [{ type: 'link', url: 'https://example.com' }],
    });
    const { task_id: sent } = await frank.send('bob');
    await bob.append(received, 'more');
    await (await relay.agent('eve@acme')).send('bob');
    const { type, lines } = await exported(human);
    const { id: _, email: __, principal: ___, ...profile } = (await human.rest('GET', '/agents/me')).body;
    expect(type).toBe('application/x-ndjson');
    expect(lines).toEqual([
      { kind: 'profile', ...profile },
      { kind: 'thread', ...(await human.get(received, { mark_read: false })) },
      { kind: 'thread', ...(await human.get(sent, { mark_read: false })) },
    ]);
  });

  it('marks nothing as read and nothing as opened', async () => {
    const { task_id: id } = await bob.send('frank');
    await exported(human);
    expect((await human.get(id, { mark_read: false })).unread_messages).toBe(1);
    expect((await frank.get(id, { mark_read: false })).unread_messages).toBe(1);
    expect((await bob.get(id)).delivery).toMatchObject({
      listed: { cause: 'the recipient has not listed its inbox since' },
      opened: { cause: 'the recipient has not read the thread' },
    });
  });

  it('holds every thread once when there are more than one batch of them', async () => {
    await bob.send('frank');
    await relay.database.query(
      `WITH more AS (
         INSERT INTO handoffs (id, sender_id, recipient_id, intent, summary_preview, artifact_count, metadata, created_at, updated_at)
         SELECT gen_random_uuid(), sender_id, recipient_id, 'inform', 'x', 0, '{}', now(), now()
         FROM handoffs, generate_series(1, 119) RETURNING id, sender_id)
       INSERT INTO messages SELECT id, 1, gen_random_uuid(), sender_id, 'summary', 'x', '{}', '[]', now() FROM more`,
    );
    const { lines } = await exported(human);
    const all = await relay.database.query<{ id: string }>('SELECT id FROM handoffs ORDER BY id');
    expect(lines.slice(1).map(({ task_id }) => task_id)).toEqual(all.map(({ id }) => id));
    expect(all).toHaveLength(120);
  });
});
