import { McpSession, type TestAgent, useRelay } from '@agentrelay/testing';

/** A relay whose answers are short: every thread here takes several, and some of its messages one each. */
const relay = useRelay({ RELAY_LIMIT_ANSWER_BYTES: '100000', RELAY_LIMIT_BODY_BYTES: '50000' });

const MESSAGES = 11;
const WORDS_OF_A_MESSAGE = 1_500;

/** Words that each occur once in the whole thread: so nothing can be lost or doubled unseen. */
function wordsOf(message: number): string[] {
  return Array.from({ length: WORDS_OF_A_MESSAGE }, (_, n) => `w${message}x${n}e`);
}

/** A handoff with its artifacts, its replies of both sides and its result, far longer than an answer of the relay. */
async function longThread(bob: TestAgent, frank: TestAgent): Promise<string> {
  const diffOf = (message: number): object => ({ type: 'file_diff', path: 'a.ts', diff: wordsOf(message).join('\n') });
  const metadata = { question: 'Is it right?', note: 'metadata word' };
  const { task_id: id } = await bob.send('frank@acme', { artifacts: [diffOf(1)], metadata });
  for (let n = 2; n <= MESSAGES; n++)
    await (n % 3 === 0 ? frank : bob).append(id, `Reply ${n}.`, { artifacts: [diffOf(n)], payload: { n } });
  return id;
}

/** The words of the thread in the order in which a text shows them. */
function wordsIn(text: string): string[] {
  return [...text.matchAll(/^\| (w\d+x\d+e)$/gm)].map(([, word = '']) => word);
}

describe('a thread that the relay answers in parts', () => {
  const whole = Array.from({ length: MESSAGES }, (_, i) => wordsOf(i + 1)).flat();
  let bob: TestAgent;
  let frank: TestAgent;
  let session: McpSession;
  let id: string;

  beforeEach(async () => {
    ({ bob, frank } = await relay.pair());
    session = await McpSession.start({
      AGENTRELAY_URL: frank.url,
      AGENTRELAY_API_KEY: frank.apiKey,
      AGENTRELAY_RESULT_CHARS: '45000',
    });
    id = await longThread(bob, frank);
  });

  afterEach(() => session.stop());

  /** How many messages frank has not read, without moving his position. */
  async function unread(): Promise<number> {
    const { unread_messages } = await frank.get(id, { mark_read: false, history_length: 0 });
    return unread_messages;
  }

  /** Reads on with view_thread until nothing is left. */
  async function readOn(from: unknown, seen: (text: string) => Promise<void>): Promise<void> {
    for (let next = from, first = true; first || next !== undefined; first = false) {
      const part = await session.call('view_thread', { thread_id: id, ...(next !== undefined && { from: next }) });
      expect(part.isError).toBe(false);
      next = part.structured['next_from'];
      expect(part.text.includes('Not shown yet: ')).toBe(next !== undefined);
      await seen(part.text);
    }
  }

  it('is viewed to its end, nothing lost or doubled, and counts as read only then', async () => {
    const before = await unread();
    expect(before).toBe(8);
    const counts: number[] = [];
    let text = '';
    await readOn(undefined, async (shown) => {
      text += `${shown}\n`;
      counts.push(await unread());
    });
    expect(wordsIn(text)).toEqual(whole);
    for (let n = 2; n <= MESSAGES; n++) expect(text.split(`| Reply ${n}.\n`)).toHaveLength(2);
    expect(text.split('metadata word')).toHaveLength(2);
    expect(counts).toEqual([...counts.slice(0, -1).map(() => before), 0]);
    expect(counts.length).toBeGreaterThan(3);
  });

  it('is accepted with its first part and read on from there', async () => {
    const accepted = await session.call('accept_handoff', { thread_id: id });
    expect(accepted).toMatchObject({ isError: false, structured: { accepted: true, status: 'accepted' } });
    expect(await unread()).toBe(8);
    let text = `${accepted.text}\n`;
    await readOn(accepted.structured['next_from'], async (shown) => {
      await Promise.resolve((text += `${shown}\n`));
    });
    expect(wordsIn(text)).toEqual(whole);
    expect(await unread()).toBe(0);
  });

  it('is read as resources, each part naming the next, without a trace', async () => {
    let text = '';
    for (let uri: string | undefined = `agentrelay://threads/${id}`; uri !== undefined;) {
      const { contents } = await session.client.readResource({ uri });
      const [{ text: shown } = { text: '' }] = contents as { text: string }[];
      text += `${shown}\n`;
      uri = /^To read on: (\S+)$/m.exec(shown)?.[1];
    }
    expect(wordsIn(text)).toEqual(whole);
    expect(await unread()).toBe(8);
  });

  it('that grows while its last part is read goes on with what came', async () => {
    let text = '';
    await readOn(undefined, async (shown) => {
      text += `${shown}\n`;
      if (!text.includes('| Late.') && shown.includes(`Reply ${MESSAGES}.`)) await bob.append(id, 'Late.');
    });
    const more = await session.call('view_thread', { thread_id: id, from: `m${MESSAGES + 1}.0.0` });
    expect(wordsIn(text + more.text)).toEqual(whole);
    expect(more.text).toContain('| Late.');
    expect(await unread()).toBe(0);
  });
});
