import type { WireRoster } from '@agentrelay/protocol';
import { useRelay } from '@agentrelay/testing';

const relay = useRelay({ RELAY_PUBLIC_URL: 'https://relay.acme.example/base/' });

it('every link starts with the configured public address', async () => {
  const { bob, frank } = await relay.pair();
  const { task_id: id, inbox_url } = await bob.send('frank');
  const inbox = `https://relay.acme.example/base/inbox/${id}`;
  expect([inbox_url, (await frank.get(id)).inbox_url]).toEqual([inbox, inbox]);
  const { thread } = await frank.accept(id, { include_thread: true });
  expect(thread!.inbox_url).toBe(inbox);
  const { teammates } = await bob.call<WireRoster>('agents/list');
  expect(teammates.map(({ card_url }) => card_url)).toEqual(
    ['bob', 'frank'].map((name) => `https://relay.acme.example/base/.well-known/agent-card.json?id=${name}%40acme`),
  );
});
