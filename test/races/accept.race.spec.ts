import type { WireRpcAnswer } from '@agentrelay/protocol';
import { useReplicas } from '@agentrelay/testing';

const SESSIONS = 50;

describe.each([1, 2])('fifty sessions that accept one handoff, over %i replica(s)', (replicas) => {
  const { relay, urlOf } = useReplicas(replicas);

  // The first round may find the connections cold and so no race at all.
  it('have one winner each time; every other is told that the state changed', async () => {
    const { bob, frank } = await relay.pair();
    for (let round = 1; round <= 3; round++) {
      const { task_id } = await bob.send('frank@acme');
      const answers = await Promise.all(
        Array.from({ length: SESSIONS }, (_, i) =>
          frank.at(urlOf(i)).rpc('tasks/update', { task_id, transition: 'accept', session_id: `session-${i}` }),
        ),
      );
      const winners = answers.flatMap(({ status }, i) => (status === 200 ? [`session-${i}`] : []));
      const losers = answers.filter(({ status }) => status !== 200);
      expect([winners.length, losers.length]).toEqual([1, SESSIONS - 1]);
      for (const { status, body } of losers) {
        expect([status, body]).toMatchObject([
          409,
          { error: { code: -32010, data: { code: 'state_changed', details: { accepted_session_id: winners[0] } } } },
        ]);
      }
      expect(
        await relay.database.query('SELECT status, version, accepted_session_id FROM handoffs WHERE id = $1', [
          task_id,
        ]),
      ).toEqual([{ status: 'accepted', version: 2, accepted_session_id: winners[0] }]);
      expect(await relay.database.query(`SELECT id FROM events WHERE type = 'handoff.accepted'`)).toHaveLength(round);
    }
  });

  it('all win when they are one session that repeats itself', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send('frank@acme');
    const answers = await Promise.all(
      Array.from({ length: SESSIONS }, (_, i) =>
        frank.at(urlOf(i)).rpc('tasks/update', { task_id, transition: 'accept', session_id: 'one' }),
      ),
    );
    const results = answers.map(({ body }) => (body as WireRpcAnswer & { result: { replayed?: true } }).result);
    expect(results.filter((result) => result.replayed === undefined)).toHaveLength(1);
    const [first] = results.filter((result) => result.replayed === undefined);
    for (const result of results) expect({ ...result, replayed: true }).toEqual({ ...first, replayed: true });
  });
});
