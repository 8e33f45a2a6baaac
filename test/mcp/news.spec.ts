import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, McpSession, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

describe('news for an agent', () => {
  let home: string;
  let bob: TestAgent;
  let frank: TestAgent;
  let session: McpSession;

  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'agentrelay-home-'));
    bob = await relay.agent('bob@acme');
    frank = await relay.agent('frank@acme');
    session = await McpSession.start({
      AGENTRELAY_HOME: home,
      AGENTRELAY_URL: frank.url,
      AGENTRELAY_API_KEY: frank.apiKey,
    });
  });

  afterEach(() => session.stop());

  /** Sends handoffs of frank's, which all become newer than what was there before. */
  async function sendMany(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 20)
      await Promise.all(Array.from({ length: Math.min(left, 20) }, () => frank.send('bob@acme')));
  }

  it('whose place in the log is gone goes on from now, and it is told that it may have missed something', async () => {
    const look = { wait_seconds: 0 };
    await session.call('wait_for_updates', look);
    await relay.database.query('UPDATE relay_state SET epoch = epoch + 1');
    const lost = await session.call('wait_for_updates');
    expect(lost).toMatchObject({ isError: false, structured: { updates: [], unread_messages: 0 } });
    expect(lost.text).toContain('some may have been missed. Call check_inbox.');
    const { task_id } = await bob.send('frank@acme');
    const updates = await eventually('there is news', async () => {
      const { structured } = await session.call('wait_for_updates', look);
      return (structured['updates'] as unknown[]).length > 0 && structured;
    });
    expect(updates).toMatchObject({ updates: [{ type: 'handoff.created', thread_id: task_id }] });
    expect(updates['text']).not.toContain('missed');
  });

  it.each(['unknown_teammates: {policy: reject}\nteammates: {carol@acme: {}}', 'blocked: [bob@acme]'])(
    'is waited for while all that is unread is withheld by trust.yaml: %j',
    async (yaml) => {
      const carol = await relay.agent('carol@acme');
      writeFileSync(join(home, 'trust.yaml'), yaml, { mode: 0o600 });
      await bob.send('frank@acme');
      const { cursor } = await frank.events(1);
      const { structured } = await session.call('wait_for_updates', { cursor, wait_seconds: 0 });
      expect(structured).toMatchObject({ updates: [], unread_messages: 0 });
      const waiting = session.call('wait_for_updates');
      const { task_id } = await carol.send('frank@acme');
      const told = await waiting;
      expect(told.structured).toMatchObject({ unread_messages: 1 });
      expect(told.text).toContain(`on thread ${task_id}`);
    },
  );

  it('holds an unread answer however many threads were sent since, up to a bound that it tells of', async () => {
    const { task_id } = await frank.send('bob@acme');
    await bob.append(task_id, 'Done.');
    await sendMany(250);
    const inbox = await session.call('check_inbox');
    expect(inbox.structured['answers']).toMatchObject([{ thread_id: task_id, unread_messages: 1 }]);
    expect(inbox.text).toContain('sent by you with unread replies');
    expect(inbox.text).not.toContain('very many');
    expect((await session.call('wait_for_updates', { wait_seconds: 0 })).structured).toMatchObject({
      unread_messages: 1,
    });
    await sendMany(760);
    const full = await session.call('check_inbox');
    expect(full.structured['answers']).toEqual([]);
    expect(full.text).toContain('very many handoffs');
  }, 60_000);
});
