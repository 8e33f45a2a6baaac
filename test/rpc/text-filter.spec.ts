import type { WireList } from '@agentrelay/protocol';
import { text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

describe('a text filter', () => {
  it('looks at the 1,000 handoffs with the newest activity that match everything else', async () => {
    const { bob, frank } = await relay.pair();
    await bob.send('frank', { message: text('a needle of long ago') });
    await bob.send('frank', { message: text('a needle') });
    await relay.database.query(
      `UPDATE handoffs SET updated_at = now() - CASE WHEN summary_preview LIKE '%ago' THEN interval '2 days' ELSE interval '1 day' END`,
    );
    const found = async (filter: object) =>
      (await frank.call<WireList>('tasks/list', { filter: { text: 'NEEDLE', ...filter } })).items.map(
        ({ summary_preview }) => summary_preview,
      );
    expect(await found({})).toEqual(['a needle', 'a needle of long ago']);
    const columns = await relay.database.query<{ name: string }>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'handoffs'::regclass AND attnum > 0 AND NOT attisdropped
         AND attgenerated = '' AND attname NOT IN ('id', 'updated_at', 'intent')`,
    );
    const names = columns.map(({ name }) => name).join(', ');
    // 999 newer ones: with the one of yesterday that makes a thousand.
    await relay.database.query(
      `INSERT INTO handoffs (id, updated_at, intent, ${names})
       SELECT gen_random_uuid(), now(), 'ask_question', ${names}
       FROM (SELECT * FROM handoffs WHERE summary_preview = 'a needle') h, generate_series(1, 999)`,
    );
    expect(await found({})).toEqual(['a needle']);
    expect(await found({ intent: 'inform' })).toEqual(['a needle', 'a needle of long ago']);
  });
});
