import { text, useReplicas } from '@agentrelay/testing';

const { relay, urlOf } = useReplicas(2);

const ROUNDS = 3;
const SENDERS = 8;

it('an agent that is disabled amid sends, accepts, results and cancellations keeps no open work, and nobody hears of success for what is lost', async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const frank = await relay.agent(`frank${round}@acme`);
    const senders = await Promise.all(Array.from({ length: SENDERS }, () => relay.agent()));
    const before = await Promise.all(senders.map((sender) => sender.send(frank.handle)));
    await Promise.all(before.slice(0, 4).map(({ task_id }) => frank.accept(task_id)));

    const sends = senders.map((sender, n) =>
      sender.at(urlOf(n)).rpc('message/send', { recipient: frank.handle, message: text('x') }),
    );
    const moves = before.map(({ task_id }, n) => {
      const there = frank.at(urlOf(n));
      const complete = { task_id, transition: 'complete', result_summary: 'Done.' };
      if (n < 2) return there.rpc('tasks/update', complete);
      if (n < 4) return there.rpc('message/send', { task_id, message: text('x') });
      if (n < 6) return there.rpc('tasks/update', { task_id, transition: 'accept' });
      return senders[n]!.at(urlOf(n)).rpc('tasks/cancel', { task_id });
    });
    const disabled = relay.admin('DELETE', `/admin/agents/${frank.handle}`);
    const statuses = (await Promise.all([...sends, ...moves])).map(({ status }) => status);
    expect((await disabled).status).toBe(200);
    // Done before, or refused: as no recipient, as another's key, or as ended meanwhile.
    expect(statuses.filter((status) => ![200, 401, 404, 409].includes(status))).toEqual([]);

    const open = `SELECT status FROM handoffs WHERE recipient_id = $1 AND status IN ('pending', 'accepted')`;
    expect(await relay.database.query(open, [frank.agentId])).toEqual([]);
    const stored = await relay.database.query('SELECT FROM handoffs WHERE recipient_id = $1', [frank.agentId]);
    expect(stored).toHaveLength(SENDERS + statuses.slice(0, SENDERS).filter((status) => status === 200).length);
    // Every handoff ended once, and the log says so.
    const ends = await relay.database.query<{ n: number }>(
      `SELECT count(*)::integer AS n FROM events
       WHERE recipient_id = $1 AND type IN ('handoff.completed', 'handoff.cancelled') GROUP BY handoff_id`,
      [frank.agentId],
    );
    expect(ends.map(({ n }) => n)).toEqual(stored.map(() => 1));
  }
});
