import { useRelay } from '@agentrelay/testing';
import { unseen } from './delta-reader';

/** As many as the promise says take hours: `DELTA_SENDS=1000000`. */
const SENDS = Number(process.env['DELTA_SENDS'] ?? 20_000);

const relay = useRelay({ DATABASE_POOL_SIZE: '10' });

it(`a reader that follows by as_of misses none of ${SENDS} handoffs that six senders store meanwhile`, async () => {
  const frank = await relay.agent('frank@acme');
  const writers = await Promise.all(Array.from({ length: 6 }, () => relay.agent()));
  expect(await unseen(writers, frank, SENDS)).toEqual([]);
});
