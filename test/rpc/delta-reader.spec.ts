import { eventually, useRelay } from '@agentrelay/testing';
import type { WireList } from '@agentrelay/protocol';
import { StatementCounter } from '../bench/statement-counter';
import { unseen } from './delta-reader';

const relay = useRelay({ DATABASE_POOL_SIZE: '10' });

describe('a reader that follows by as_of', () => {
  it('misses none of 1,000 handoffs that six senders store meanwhile', async () => {
    const frank = await relay.agent('frank@acme');
    const writers = await Promise.all(Array.from({ length: 6 }, () => relay.agent()));
    expect(await unseen(writers, frank, 1_000)).toEqual([]);
    expect(await relay.database.query('SELECT count(*)::integer AS n FROM handoffs')).toEqual([{ n: 1_000 }]);
  }, 120_000);

  it('is never told a time after the start of a write that is still open', async () => {
    const { bob, frank } = await relay.pair();
    const holder = await relay.database.connect();
    await holder.query('BEGIN');
    const { rows } = await holder.query<{ at: Date }>('SELECT now() AS at, pg_current_xact_id()');
    await bob.send('frank@acme');
    const { as_of } = await frank.call<WireList>('tasks/list');
    expect(Date.parse(as_of!)).toBeLessThanOrEqual(rows[0]!.at.getTime());
    await holder.end();
    await eventually('as_of has moved on', async () => {
      const list = await frank.call<WireList>('tasks/list');
      return Date.parse(list.as_of!) > rows[0]!.at.getTime() + 1;
    });
  });

  it('costs one statement while no write ends just then', async () => {
    const { frank } = await relay.pair();
    await frank.call('tasks/list');
    const counter = await StatementCounter.on(relay.database.url);
    const counted = await counter.during(async () => {
      await frank.call('tasks/list');
    });
    expect(counted.filter(({ text }) => text.includes('unread_total')).reduce((sum, { calls }) => sum + calls, 0)).toBe(
      1,
    );
  });
});
