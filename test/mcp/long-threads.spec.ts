import { visible } from '@agentrelay/untrusted-text';
import { McpSession, type TestAgent, text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

const CHARACTERS = 40_000;
const MESSAGE_BYTES = 256 * 1024;

/** How many lines the accepted thread has. */
const LINES = 15_000;

/**
 * Contents that are long in one way each: invisible, of many lines, of one line, of wide characters, of escapes. Each takes several
 * parts, and the first is about as long as an artifact may be.
 */
const CONTENTS: Record<string, string> = {
  'zero-width characters': `start${'\u200b'.repeat(340_000)}end`,
  lines: Array.from({ length: LINES }, (_, line) => `line ${line}`).join('\n'),
  'empty lines': '\n'.repeat(30_000),
  'one line': 'x'.repeat(150_000),
  'wide characters': '語👩‍👩‍👧‍👦'.repeat(4_000),
  escapes: '"\\'.repeat(40_000),
  'hidden text': 'a\u200b\u{e0041}'.repeat(6_000),
};

/** What a part shows of the content of one section: the marked lines behind its label, and after how many characters it began. */
function shownOf(part: string, label: string): { from: number; content: string } | undefined {
  const found = new RegExp(`^${label}(?:, continued from character (\\d+))?:\\n((?:\\| .*\\n)+)`, 'm').exec(
    `${part}\n`,
  );
  if (found === null) return undefined;
  const content = (found[2] ?? '').slice(0, -1).split('\n').map((line) => line.slice(2)).join('\n'); // prettier-ignore
  return { from: Number(found[1] ?? 0), content };
}

describe('a long thread', () => {
  let bob: TestAgent;
  let frank: TestAgent;
  let session: McpSession;

  beforeEach(async () => {
    bob = await relay.agent('bob@acme');
    frank = await relay.agent('frank@acme');
    session = await McpSession.start({ AGENTRELAY_URL: frank.url, AGENTRELAY_API_KEY: frank.apiKey });
  });

  afterEach(() => session.stop());

  /** Calls a tool, and looks at the size of what it answers. */
  async function within(tool: string, args: Record<string, unknown>): Promise<Record<string, unknown>> {
    const result = await session.client.callTool({ name: tool, arguments: args });
    expect(Buffer.byteLength(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))).toBeLessThan(MESSAGE_BYTES);
    const [{ text: shown } = { text: '' }] = result.content as { text: string }[];
    expect(shown.length).toBeLessThanOrEqual(CHARACTERS);
    expect(result.isError).not.toBe(true);
    const structured = result.structuredContent as Record<string, unknown>;
    expect(structured['text']).toBe(shown);
    return structured;
  }

  it.each(Object.entries(CONTENTS))(
    'of %s is read to its end in parts, each within its budget, and nothing is lost',
    async (_, diff) => {
      const artifacts = [{ type: 'file_diff' as const, path: 'a', diff }];
      const { task_id } = await bob.send('frank@acme', { artifacts });
      await bob.append(task_id, 'The last word.');
      const label = 'message 1, artifact 1 \\(file_diff\\), diff';
      const whole = visible(diff);
      let read = '';
      let parts = 0;
      for (let from: string | undefined; ; parts++) {
        const part = await within('view_thread', { thread_id: task_id, ...(from !== undefined && { from }) });
        const shown = shownOf(part['text'] as string, label);
        if (shown !== undefined) {
          // A part begins where the one before ended; the line break that it was cut at is shown by neither.
          if (shown.from === read.length + 1) read += '\n';
          expect(shown.from).toBe(read.length);
          read += shown.content;
        }
        from = part['next_from'] as string | undefined;
        if (from === undefined) {
          expect(part['text']).toContain('| The last word.');
          break;
        }
        expect(part['text']).toContain('Not shown yet: ');
        expect(part['text']).toContain(`from "${from}"`);
        expect((await frank.get(task_id, { mark_read: false })).unread_messages).toBe(2);
        expect(parts).toBeLessThan(60);
      }
      expect(read === whole).toBe(true);
      expect((await frank.get(task_id, { mark_read: false })).unread_messages).toBe(0);
    },
    60_000,
  );

  it('is accepted with its first part, and read on from there; the resources have parts too', async () => {
    const artifacts = [{ type: 'file_diff' as const, path: 'a', diff: CONTENTS['lines'] ?? '' }];
    const { task_id } = await bob.send('frank@acme', { artifacts });
    const accepted = await within('accept_handoff', { thread_id: task_id });
    expect(accepted).toMatchObject({ accepted: true, status: 'accepted' });
    expect(accepted['text']).toContain('Reply with send_message');
    expect((await frank.get(task_id, { mark_read: false })).unread_messages).toBe(1);
    const next = accepted['next_from'] as string;
    const second = await within('view_thread', { thread_id: task_id, from: next });
    expect(second['text']).toMatch(/diff, continued from character \d+:\n\| line \d+\n/);
    let uri = `agentrelay://threads/${task_id}`;
    let lines = 0;
    for (let parts = 0; ; parts++) {
      const { contents } = await session.client.readResource({ uri });
      const [{ text: shown } = { text: '' }] = contents as { text: string }[];
      expect(shown.length).toBeLessThanOrEqual(CHARACTERS);
      lines += [...shown.matchAll(/^\| line \d+$/gm)].length;
      const more = /^To read on: (\S+)$/m.exec(shown);
      if (more === null) break;
      uri = more[1] ?? '';
      expect(parts).toBeLessThan(60);
    }
    expect(lines).toBe(LINES);
  }, 60_000);

  it.each(['m1.9.0', 'm1.0.20', 'm0.0.0', 'm2.0.0', 'm7.0.0', 'm1.0', 'x', '∞'])(
    'refuses %j, a place that it did not give out, and marks nothing as read',
    async (from) => {
      const { task_id } = await bob.send('frank@acme');
      const { isError, text: told } = await session.call('view_thread', { thread_id: task_id, from });
      expect([isError, told]).toEqual([
        true,
        'from is no place to read on from here. Use next_from of the part before, or leave it out to begin at the start.',
      ]);
      const uri = `agentrelay://threads/${task_id}/from/${encodeURIComponent(from)}`;
      await expect(session.client.readResource({ uri })).rejects.toThrow('from is no place to read on from here.');
      expect((await frank.get(task_id, { mark_read: false })).unread_messages).toBe(1);
    },
  );
});

describe('many handoffs and teammates', () => {
  it('come in parts within the budget, and none is lost or doubled', async () => {
    const bob = await relay.agent('bob@acme');
    const frank = await relay.agent('frank@acme', { description: 'd\u200b'.repeat(900), skills: Array.from({ length: 50 }, (_, n) => `s${n}\u200b`.repeat(9)) }); // prettier-ignore
    const sent: string[] = [];
    for (let n = 0; n < 90; n++)
      sent.push((await bob.send('frank@acme', { message: text(`${n} \u200b\u{e0041}`.repeat(300)) })).task_id);
    const environment = { AGENTRELAY_RESULT_CHARS: '8000' };
    const session = await McpSession.start({
      AGENTRELAY_URL: frank.url,
      AGENTRELAY_API_KEY: frank.apiKey,
      ...environment,
    });
    const seen: string[] = [];
    for (let cursor: unknown = undefined; cursor !== null;) {
      const { structured, text: shown } = await session.call('check_inbox', {
        limit: 200,
        ...(cursor !== undefined && { cursor }),
      });
      expect(shown.length).toBeLessThanOrEqual(8_000);
      seen.push(...(structured['items'] as { thread_id: string }[]).map(({ thread_id }) => thread_id));
      cursor = structured['next_cursor'];
    }
    expect(seen).toEqual(sent.reverse());
    await session.stop();
    const others = await McpSession.start({ AGENTRELAY_URL: bob.url, AGENTRELAY_API_KEY: bob.apiKey, ...environment });
    let roster = '';
    for (let cursor: unknown = undefined; cursor !== null;) {
      const { structured, text: shown } = await others.call('list_teammates', cursor === undefined ? {} : { cursor });
      expect(shown.length).toBeLessThanOrEqual(8_000);
      roster += shown;
      cursor = structured['next_cursor'];
    }
    expect([...roster.matchAll(/U\+200B/g)].length).toBeGreaterThanOrEqual(900 + 450);
    await others.stop();
  }, 60_000);
});
