import type { WireAgent, WireRoster } from '@agentrelay/protocol';
import { type TestAgent, useRelay } from '@agentrelay/testing';

const ANSWER_BYTES = 400_000;
const relay = useRelay({
  RELAY_LIMIT_ANSWER_BYTES: String(ANSWER_BYTES),
  RELAY_LIMIT_BODY_BYTES: String(ANSWER_BYTES / 2),
});

const HANDLES = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `${name}@acme`);

/** A team whose cards take 120,000 bytes each as JSON: every quote takes two. */
async function team(): Promise<TestAgent> {
  const [first] = await Promise.all(HANDLES.map((handle) => relay.agent(handle)));
  await relay.database.query(`UPDATE cards SET description = repeat('"', 60000)`);
  return first!;
}

/** The handles of each part of a list that is read until nothing is left. */
async function partsOf(
  read: (cursor: string | undefined) => Promise<{ members: { handle: string }[]; next: string | null; bytes: number }>,
): Promise<string[]> {
  const parts: string[] = [];
  let cursor: string | undefined;
  do {
    const { members, next, bytes } = await read(cursor);
    expect(bytes).toBeLessThanOrEqual(ANSWER_BYTES);
    parts.push(members.map(({ handle }) => handle[0]).join(''));
    cursor = next ?? undefined;
  } while (cursor !== undefined);
  return parts;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));
const query = (cursor: string | undefined): string => (cursor === undefined ? '' : `?cursor=${cursor}`);

describe('a team that is longer than an answer', () => {
  it.each([
    [undefined, ['abc', 'def', 'g']],
    [2, ['ab', 'cd', 'ef', 'g']],
    [200, ['abc', 'def', 'g']],
  ])('comes in parts with the limit %p of agents/list: %p', async (limit, expected) => {
    const agent = await team();
    const parts = await partsOf(async (cursor) => {
      const page = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) };
      // Without `page` too: it is the first part.
      const params = Object.keys(page).length === 0 ? {} : { page: { limit: 200, ...page } };
      const roster = await agent.call<WireRoster>('agents/list', params);
      return { members: roster.teammates, next: roster.next_cursor, bytes: bytesOf(roster) };
    });
    expect(parts).toEqual(expected);
  });

  it('comes in parts of GET /agents', async () => {
    const agent = await team();
    const parts = await partsOf(async (cursor) => {
      const { body } = await agent.rest<WireRoster>('GET', `/agents${query(cursor)}`);
      return { members: body.teammates, next: body.next_cursor, bytes: bytesOf(body) };
    });
    expect(parts).toEqual(['abc', 'def', 'g']);
  });

  it('comes in parts of GET /admin/agents', async () => {
    await team();
    const parts = await partsOf(async (cursor) => {
      const { body } = await relay.admin<{ agents: WireAgent[]; next_cursor: string | null }>(
        'GET',
        `/admin/agents${query(cursor)}`,
      );
      return { members: body.agents, next: body.next_cursor, bytes: bytesOf(body) };
    });
    expect(parts).toEqual(['abc', 'def', 'g']);
  });

  it('is cut to what a batch has left, and asked alone where nothing fits', async () => {
    const agent = await team();
    const entry = (id: number): object => ({ jsonrpc: '2.0', id, method: 'agents/list' });
    const { body } = await agent.post<{ result?: WireRoster; error?: { data: { code: string } } }[]>(
      JSON.stringify([entry(1), entry(2)]),
    );
    expect(body.map(({ result, error }) => result?.teammates.length ?? error?.data.code)).toEqual([
      3,
      'payload_too_large',
    ]);
  });
});
