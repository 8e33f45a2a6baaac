import type { WireThread } from '@agentrelay/protocol';
import { RelayClient } from '@agentrelay/relay-client';
import { McpSession, type TestAgent, useRelay } from '@agentrelay/testing';

const relay = useRelay();

/** Nearly as many values as a request may hold, in messages of 200 KB to 300 KB. */
const VALUES = 99_000;

function artifactOf(filling: unknown): { type: 'link'; url: string; values: unknown[] } {
  return { type: 'link', url: 'https://example.com', values: Array.from({ length: VALUES }, () => filling) };
}

/** A handoff whose every message holds so many values that an answer of the relay can hold millions. */
async function handoffOf(
  messages: number,
  filling: unknown,
): Promise<{ bob: TestAgent; frank: TestAgent; id: string }> {
  const { bob, frank } = await relay.pair();
  const { task_id: id } = await bob.send('frank@acme', { artifacts: [artifactOf(filling)] });
  for (let n = 2; n <= messages; n++) await bob.append(id, `Message ${n}.`, { artifacts: [artifactOf(filling)] });
  return { bob, frank, id };
}

describe('a thread of very many small values', () => {
  it.each([
    ['numbers', 0],
    ['objects', {}],
  ])(
    'of %s is read by the client to its end, in parts of bounded size, and nothing is lost',
    async (_, filling) => {
      const { bob, frank, id } = await handoffOf(11, filling);
      await frank.accept(id);
      await frank.complete(id, { artifacts: [artifactOf(filling)] });
      const client = new RelayClient({ url: bob.url, apiKey: bob.apiKey });
      const sent = JSON.stringify([artifactOf(filling)]);
      const read: number[] = [];
      let parts = 0;
      for (let after: number | undefined = 0; after !== undefined; parts++) {
        const part: WireThread = await client.read('tasks/get', {
          task_id: id,
          mark_read: false,
          after_sequence_no: after,
        });
        for (const { sequence_no, artifacts } of part.messages) {
          expect(JSON.stringify(artifacts) === sent).toBe(true);
          read.push(sequence_no);
        }
        const held = part.messages.length + part.artifacts.length + part.completion_artifacts.length;
        expect(held * VALUES).toBeLessThan(1_000_000);
        after = part.next_after_sequence_no;
      }
      expect(read).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
      expect(parts).toBeGreaterThan(2);
    },
    60_000,
  );

  it('is accepted, and viewed over the end of each message into the next, until it is marked as read', async () => {
    const count = 12;
    const { frank, id } = await handoffOf(count, {});
    const session = await McpSession.start({ AGENTRELAY_URL: frank.url, AGENTRELAY_API_KEY: frank.apiKey });
    const accepted = await session.call('accept_handoff', { thread_id: id });
    expect(accepted).toMatchObject({ isError: false, structured: { accepted: true } });
    expect(accepted.structured['next_from']).toMatch(/^m1\.2\.\d+$/);
    const { values } = artifactOf({});
    const beforeEnd = JSON.stringify({ values }, null, 2).length - 40;
    for (let n = 1; n <= count; n++) {
      const { text, structured } = await session.call('view_thread', { thread_id: id, from: `m${n}.2.${beforeEnd}` });
      expect(text).toContain(`message ${n}, artifact 1 (link), other members, continued from character ${beforeEnd}:`);
      expect(text.split('\n|   ]\n| }\n')).toHaveLength(2);
      if (n < count) expect(text).toContain(`\n| Message ${n + 1}.\n`);
      expect(structured['next_from']).toEqual(n < count ? expect.stringMatching(`^m${n + 1}\\.2\\.`) : undefined);
      const { unread_messages: unread } = await frank.get(id, { mark_read: false, after_sequence_no: count });
      expect(unread).toBe(n < count ? count : 0);
    }
    await session.stop();
  }, 60_000);
});
