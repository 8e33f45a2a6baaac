import { LIMITS } from '@agentrelay/protocol';
import { useRelay } from '@agentrelay/testing';

const relay = useRelay();

describe("an agent's own card", () => {
  it('changes in the parts that are given, and keeps the others', async () => {
    const bob = await relay.agent('bob@acme', { skills: ['sql'], repos_owned: ['acme/api'] });
    const first = await bob.rest('PUT', '/agents/me/card', { description: 'I keep the books. 📚', repos_owned: [] });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ description: 'I keep the books. 📚', skills: ['sql'], repos_owned: [] });
    const second = await bob.rest('PUT', '/agents/me/card', { skills: ['go', 'sql'], description: null });
    expect(second.body).toMatchObject({ description: 'I keep the books. 📚', skills: ['go', 'sql'], repos_owned: [] });
    const { principal, id, email, ...me } = (await bob.rest('GET', '/agents/me')).body;
    expect([principal, id, email, me]).toEqual(['agent', bob.agentId, 'bob.acme@acme.example', second.body]);
  });

  it('takes its limits exactly and refuses more', async () => {
    const bob = await relay.agent('bob@acme');
    const full = {
      description: '🙂'.repeat(LIMITS.description),
      skills: Array.from({ length: LIMITS.skills }, () => 's'.repeat(LIMITS.skill)),
      repos_owned: Array.from({ length: LIMITS.repos }, () => 'r'.repeat(LIMITS.repo)),
    };
    expect((await bob.rest('PUT', '/agents/me/card', full)).body).toMatchObject(full);
    for (const [field, value] of [
      ['description', `${full.description}x`],
      ['skills', [...full.skills, 's']],
      ['skills', ['s'.repeat(LIMITS.skill + 1)]],
      ['skills', ['']],
      ['repos_owned', [...full.repos_owned, 'r']],
      ['repos_owned', ['r'.repeat(LIMITS.repo + 1)]],
      ['handle', 'mallory@acme'],
      ['role', 'boss'],
    ] as const) {
      expect(await bob.rest('PUT', '/agents/me/card', { [field]: value })).toMatchObject({
        status: 400,
        body: { code: 'invalid_params', details: { faults: [{ field }] } },
      });
    }
  });

  it.each([
    ['no body', undefined],
    ['an empty object', {}],
  ])('stays as it is with %s', async (_, body) => {
    const bob = await relay.agent('bob@acme', { skills: ['sql'] });
    const answer = await bob.rest('PUT', '/agents/me/card', body);
    expect(answer).toMatchObject({ status: 200, body: { skills: ['sql'] } });
  });
});
