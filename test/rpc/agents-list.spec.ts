import type { WireRoster } from '@agentrelay/protocol';
import { type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

async function team(): Promise<TestAgent> {
  const ann = await relay.agent('ann@acme', { role: 'Backend', skills: ['SQL', 'go'], repos_owned: ['acme/api'] });
  await relay.agent('ben@acme', { role: 'backend', skills: ['sql injection'], repos_owned: ['acme/api-docs/'] });
  await relay.agent('cat@acme', { role: 'frontend', skills: [], repos_owned: ['acme/web/src', 'acme/api/users'] });
  return ann;
}

async function handles(agent: TestAgent, params: object): Promise<string[]> {
  return (await agent.call<WireRoster>('agents/list', params)).teammates.map(({ handle }) => handle);
}

describe('agents/list', () => {
  it('shows every member of a teammate, and no address of its owner', async () => {
    const ann = await team();
    await ann.rest('PUT', '/agents/me/card', { description: 'I keep the books.' });
    expect(await ann.call('agents/list', { role: 'backend', skill: 'sql' })).toEqual({
      teammates: [
        {
          handle: 'ann@acme',
          name: 'The agent ann@acme',
          role: 'Backend',
          description: 'I keep the books.',
          skills: ['SQL', 'go'],
          repos_owned: ['acme/api'],
          card_url: `${relay.url}/.well-known/agent-card.json?id=ann%40acme`,
        },
      ],
      next_cursor: null,
    });
  });

  it.each([
    [{}, ['ann@acme', 'ben@acme', 'cat@acme']],
    [{ role: 'BACKEND' }, ['ann@acme', 'ben@acme']],
    [{ role: 'back' }, []],
    [{ skill: 'sql' }, ['ann@acme']],
    [{ skill: 'GO' }, ['ann@acme']],
    [{ skill: 'rust' }, []],
    [{ repo: 'acme/api' }, ['ann@acme', 'cat@acme']],
    [{ repo: 'acme/api/' }, ['ann@acme', 'cat@acme']],
    [{ repo: 'acme/api/users/list.py' }, ['ann@acme', 'cat@acme']],
    [{ repo: 'acme/api-docs/intro.md' }, ['ben@acme']],
    [{ repo: 'acme' }, ['ann@acme', 'ben@acme', 'cat@acme']],
    [{ repo: 'acm' }, []],
    [{ repo: 'acme/ap' }, []],
    [{ repo: 'acme/web/srcs' }, []],
    [{ repo: 'acme/api', role: 'frontend' }, ['cat@acme']],
    [{ repo: '%' }, []],
  ])('with %p shows %p: repositories match by whole path segments', async (params, expected) => {
    expect(await handles(await team(), params)).toEqual(expected);
  });

  it('does not show who is disabled', async () => {
    const ann = await team();
    await relay.database.query(`UPDATE agents SET status = 'disabled' WHERE handle = 'ben@acme'`);
    expect(await handles(ann, {})).toEqual(['ann@acme', 'cat@acme']);
  });

  it('goes through the whole roster page by page, in order of handles, each once', async () => {
    const ann = await team();
    await relay.agent('dan@acme');
    const seen: string[][] = [];
    let cursor: string | null = null;
    do {
      const page: WireRoster = await ann.call<WireRoster>('agents/list', { page: { limit: 2, cursor } });
      seen.push(page.teammates.map(({ handle }) => handle));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual([
      ['ann@acme', 'ben@acme'],
      ['cat@acme', 'dan@acme'],
    ]);
  });

  it('has 50 teammates on a page unless asked otherwise, and all of them without a page', async () => {
    const ann = await team();
    await relay.database.query(
      `WITH copies AS (
         INSERT INTO agents (id, handle, owner_id, display_name)
         SELECT gen_random_uuid(), 'x' || n || '@acme', owner_id, 'x' FROM agents, generate_series(1, 57) n
         WHERE handle = 'ann@acme' RETURNING id)
       INSERT INTO cards (agent_id) SELECT id FROM copies`,
    );
    expect(await handles(ann, { page: {} })).toHaveLength(50);
    expect(await handles(ann, {})).toHaveLength(60);
  });

  it('shows a missing role as an empty text and empty lists as such', async () => {
    const eve = await relay.agent('eve@acme', { role: null });
    const { teammates } = await eve.call<WireRoster>('agents/list');
    expect(teammates).toMatchObject([{ role: '', description: '', skills: [], repos_owned: [] }]);
  });
});
