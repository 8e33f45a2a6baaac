import type { ErrorSymbol, WireRpcAnswer } from '@agentrelay/protocol';
import { type Answer, eventually, EventStreamReader, type TestAgent, text, useRelay } from '@agentrelay/testing';
import { ADJUSTABLE_LIMITS, type AdjustableLimit, limitSetting } from '../../apps/relay/src/config/limit-settings';

const relay = useRelay();

/** bob and frank at a relay with one small limit, and threads from bob to frank. */
interface Scene {
  bob: TestAgent;
  frank: TestAgent;
  pending: string;
  accepted: string;
}

interface Case {
  /** What the setting is set to. */
  limit: number;
  /** wire.md, "Limits": what one more is answered with. */
  over: ErrorSymbol;
  /** Something that is as large as said in what the limit bounds. */
  attempt: (scene: Scene, size: number) => Promise<Answer>;
}

const EMOJI = '🙂';
const ACTION = { description: 'x', target_files: ['x'], rationale: 'x' };
const DRAFT = { drafted_diff: '', drafted_files: [], rationale: 'x' };
const list = (size: number): string[] => Array.from({ length: size }, () => 'x');

/** A value around a text, so long that its JSON has `size` bytes. */
function ofBytes<Value>(size: number, around: (filling: string) => Value): Value {
  return around('x'.repeat(size - JSON.stringify(around('')).length));
}

function nested(levels: number): unknown {
  return levels === 0 ? 1 : { a: nested(levels - 1) };
}

const send = ({ bob }: Scene, params: object) =>
  bob.rpc('message/send', { recipient: 'frank@acme', message: text('x'), ...params });
const opened = async (agent: TestAgent): Promise<EventStreamReader | false> => {
  const stream = await EventStreamReader.open(agent);
  return stream.status === 200 && stream;
};
const propose = (scene: Scene, action: object) =>
  send(scene, { intent: 'propose_action', proposed_action: { ...ACTION, ...action } });
const card = ({ bob }: Scene, part: object) => bob.rest('PUT', '/agents/me/card', part);

/** What bounds answers refuses nothing: they come in parts (thread-parts.spec.ts), or can be asked for again (answers-in-flight.spec.ts). */
type RefusingLimit = Exclude<AdjustableLimit, 'answerBytes' | 'answersInFlightBytes'>;
const isRefusing = (limit: AdjustableLimit): limit is RefusingLimit =>
  limit !== 'answerBytes' && limit !== 'answersInFlightBytes';

const CASES: Record<RefusingLimit, Case> = {
  bodyBytes: {
    limit: 2_000,
    over: 'payload_too_large',
    attempt: ({ bob }, size) => bob.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agents/list' }).padEnd(size)),
  },
  formBodyBytes: {
    limit: 2_000,
    over: 'payload_too_large',
    attempt: (scene, size) =>
      card(
        scene,
        ofBytes(size, (description) => ({ description })),
      ),
  },
  smallBodyBytes: {
    limit: 300,
    over: 'payload_too_large',
    attempt: ({ bob }, size) =>
      bob.rest(
        'POST',
        '/agents/me/block',
        ofBytes(size, (reason) => ({ handle: 'frank@acme', reason })),
      ),
  },
  bodiesInFlightBytes: {
    // One agent gets a quarter.
    limit: 8_000,
    over: 'unavailable',
    attempt: ({ bob }, size) =>
      bob.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'agents/list' }).padEnd(2_000 + size - 8_000)),
  },
  jsonDepth: {
    limit: 6,
    over: 'invalid_request',
    // The request and its params are two levels.
    attempt: (scene, size) => send(scene, { metadata: nested(size - 2) }),
  },
  jsonValues: {
    limit: 60,
    over: 'invalid_request',
    // The request, its version, id, method, params, metadata and the list are seven.
    attempt: ({ bob }, size) =>
      bob.post(
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'agents/list',
          params: { metadata: { n: Array.from({ length: size - 7 }, () => 1) } },
        }),
      ),
  },
  summary: {
    limit: 20,
    over: 'invalid_params',
    attempt: (scene, size) => send(scene, { message: text(EMOJI.repeat(size)) }),
  },
  messageBody: {
    limit: 20,
    over: 'invalid_params',
    attempt: ({ frank, pending }, size) =>
      frank.rpc('message/send', { task_id: pending, message: text(EMOJI.repeat(size)) }),
  },
  resultSummary: {
    limit: 20,
    over: 'invalid_params',
    attempt: ({ frank, accepted }, size) =>
      frank.rpc('tasks/update', { task_id: accepted, transition: 'complete', result_summary: EMOJI.repeat(size) }),
  },
  proposedActionText: {
    limit: 20,
    over: 'invalid_params',
    attempt: (scene, size) => propose(scene, { rationale: EMOJI.repeat(size) }),
  },
  draftedDiff: {
    limit: 20,
    over: 'invalid_params',
    attempt: ({ frank, accepted }, size) =>
      frank.rpc('tasks/draft', { task_id: accepted, ...DRAFT, drafted_diff: EMOJI.repeat(size) }),
  },
  targetFiles: {
    limit: 3,
    over: 'invalid_params',
    attempt: (scene, size) => propose(scene, { target_files: list(size) }),
  },
  artifactsPerMessage: {
    limit: 2,
    over: 'invalid_params',
    attempt: (scene, size) => send(scene, { artifacts: list(size).map((path) => ({ type: 'file_ref', path })) }),
  },
  artifactBytes: {
    limit: 200,
    over: 'invalid_params',
    attempt: (scene, size) =>
      send(scene, { artifacts: [ofBytes(size, (diff) => ({ type: 'file_diff', path: 'a', diff }))] }),
  },
  inlineBytes: {
    limit: 100,
    over: 'invalid_params',
    attempt: (scene, size) =>
      send(scene, { artifacts: [{ type: 'api_contract', inline: ofBytes(size, (info) => ({ info })) }] }),
  },
  metadataBytes: {
    limit: 100,
    over: 'invalid_params',
    attempt: (scene, size) => send(scene, { metadata: ofBytes(size, (note) => ({ note })) }),
  },
  payloadBytes: {
    limit: 100,
    over: 'invalid_params',
    attempt: (scene, size) => send(scene, { payload: ofBytes(size, (note) => ({ note })) }),
  },
  messagesPerThread: {
    limit: 3,
    over: 'invalid_params',
    attempt: async ({ bob, frank, accepted }, size) => {
      const { messages } = await bob.get(accepted);
      for (let n = messages.length + 1; n < size; n++) await bob.append(accepted, 'x');
      return frank.rpc('message/send', { task_id: accepted, message: text('x') });
    },
  },
  threadBytes: {
    limit: 3_000,
    over: 'invalid_params',
    attempt: async ({ bob }, size) => {
      const { task_id: id } = await bob.send('frank@acme');
      const [thread] = await relay.database.query<{ held: number }>(
        'SELECT thread_bytes::integer AS held FROM handoffs WHERE id = $1',
        [id],
      );
      // A message of no text takes 406: its ids and times, and an empty text, payload and list of artifacts.
      return bob.rpc('message/send', { task_id: id, message: text('x'.repeat(size - thread!.held - 406)) });
    },
  },
  skills: { limit: 2, over: 'invalid_params', attempt: (scene, size) => card(scene, { skills: list(size) }) },
  skill: { limit: 9, over: 'invalid_params', attempt: (scene, size) => card(scene, { skills: [EMOJI.repeat(size)] }) },
  repos: { limit: 2, over: 'invalid_params', attempt: (scene, size) => card(scene, { repos_owned: list(size) }) },
  repo: {
    limit: 9,
    over: 'invalid_params',
    attempt: (scene, size) => card(scene, { repos_owned: [EMOJI.repeat(size)] }),
  },
  description: {
    limit: 9,
    over: 'invalid_params',
    attempt: (scene, size) => card(scene, { description: EMOJI.repeat(size) }),
  },
  blockReason: {
    limit: 9,
    over: 'invalid_params',
    attempt: ({ bob }, size) =>
      bob.rest('POST', '/agents/me/block', { handle: 'frank@acme', reason: EMOJI.repeat(size) }),
  },
  costlyReads: {
    limit: 2,
    over: 'rate_limited',
    attempt: ({ bob }, size) =>
      relay.database.inTransaction(async (holder) => {
        await holder.query('LOCK TABLE messages IN ACCESS EXCLUSIVE MODE');
        const list = () => bob.rpc('tasks/list', { filter: { text: 'x' } });
        const begun = Array.from({ length: Math.min(size, 2) }, list);
        await eventually('the first ones wait', async () => {
          const [row] = await relay.database.query<{ n: number }>(
            `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
          );
          return row?.n === begun.length;
        });
        const refused = size > 2 ? await list() : undefined;
        await holder.query('ROLLBACK');
        const answers = await Promise.all(begun);
        return refused ?? answers[0]!;
      }),
  },
  waitersPerAgent: {
    limit: 2,
    over: 'rate_limited',
    attempt: async ({ bob }, size) => {
      const streams: EventStreamReader[] = [];
      // A place is free again some time after its stream was closed.
      for (let n = 1; n < size; n++) streams.push(await eventually('a stream opens', () => opened(bob)));
      const answer = await bob.rpc('events/list', { wait_ms: 1 });
      for (const stream of streams) stream.close();
      return answer;
    },
  },
};

/** What came of a call: done, or the symbol of its refusal. */
function verdict({ status, body }: Answer): string {
  if (status < 300) return 'done';
  const { error, code } = body as { error?: { data: { code: string } }; code?: string };
  return error?.data.code ?? code ?? 'nothing';
}

async function atRelayWith(limit: RefusingLimit, act: (scene: Scene) => Promise<void>): Promise<void> {
  const pair = await relay.pair();
  const { task_id: pending } = await pair.bob.send('frank', {});
  const { task_id: accepted } = await pair.bob.send('frank', { intent: 'propose_action', proposed_action: ACTION });
  await pair.frank.accept(accepted);
  const small = await relay.replica({ [limitSetting(limit)]: String(CASES[limit].limit) });
  await act({ bob: pair.bob.at(small.url), frank: pair.frank.at(small.url), pending, accepted });
  await small.app.close();
}

describe('a limit that an operator sets', () => {
  it.each((Object.keys(ADJUSTABLE_LIMITS) as AdjustableLimit[]).filter(isRefusing))(
    '(%s) holds exactly: one more is refused',
    async (limit) => {
      const { limit: size, over, attempt } = CASES[limit];
      await atRelayWith(limit, async (scene) => {
        expect(verdict(await attempt(scene, size))).toBe('done');
        expect(verdict(await attempt(scene, size + 1))).toBe(over);
      });
    },
  );

  it('on messages of a thread does not hold up its result', async () => {
    await atRelayWith('messagesPerThread', async ({ bob, frank, accepted }) => {
      for (const body of ['two', 'three']) await bob.append(accepted, body);
      const { body } = await frank.rpc('message/send', { task_id: accepted, message: text('four') });
      expect('error' in (body as WireRpcAnswer)).toBe(true);
      await frank.complete(accepted);
      expect((await bob.get(accepted)).messages.map(({ kind }) => kind)).toEqual([
        'summary',
        'message',
        'message',
        'result',
      ]);
    });
  });
});
