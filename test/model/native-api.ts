import type { WireList } from '@agentrelay/protocol';
import { type TestAgent, text } from '@agentrelay/testing';
import { restAnswer, rpcAnswer } from './answers';
import type { Call } from './commands';
import { type Answer, draftOf } from './explain';
import type { EventReader } from './event-reader';
import { HANDLES, PROPOSAL, type State } from './state';
import { artifactsOf } from './views';

const UNKNOWN_ID = '0198f7c0-0000-7000-8000-000000000000';
const NOBODY = 'nobody@acme';

/** Makes the calls of a history over HTTP, as the agents would. */
export class NativeApi {
  constructor(
    private readonly agents: readonly TestAgent[],
    readonly readers: readonly EventReader[],
  ) {}

  /** `alone`: nothing else is called meanwhile, so that a list may be read through to its end. */
  async make(call: Call, state: State, alone: boolean): Promise<Answer> {
    const agent = this.agents[call.by]!;
    switch (call.do) {
      case 'block': {
        const { body, status } = await agent.rest('POST', '/agents/me/block', { handle: HANDLES[call.whom] ?? NOBODY });
        return restAnswer(body, status);
      }
      case 'unblock': {
        const path = `/agents/me/block/${HANDLES[call.whom] ?? NOBODY}`;
        const { body, status } = await agent.rest('DELETE', path);
        return restAnswer(body, status);
      }
      case 'events':
        return this.readers[call.by]!.read(call.limit, state, alone);
      case 'list':
        return this.list(agent, call, alone);
      default: {
        const [method, params] = rpcOf(call, state);
        return rpcAnswer(await agent.rpc(method, params));
      }
    }
  }

  private async list(agent: TestAgent, call: Extract<Call, { do: 'list' }>, alone: boolean): Promise<Answer> {
    const { role, status, intent, counterpart, limit } = call;
    const filter = { role, status, intent, counterpart: counterpart === undefined ? undefined : HANDLES[counterpart] };
    const pages: WireList[] = [];
    let cursor: string | null | undefined;
    do {
      // Beside writers a list may leave out noting what it showed; so it does not ask for it.
      const params = { filter, page: { limit, cursor }, peek: call.peek || !alone };
      const answer = rpcAnswer(await agent.rpc('tasks/list', params));
      if (!('result' in answer)) return answer;
      const page = answer.result as WireList;
      pages.push(page);
      cursor = page.next_cursor;
    } while (alone && cursor !== null);
    return { result: pages };
  }
}

type RpcCall = Exclude<Call, { do: 'block' | 'unblock' | 'events' | 'list' }>;

function rpcOf(call: RpcCall, state: State): [method: string, params: object] {
  const key = 'key' in call && call.key !== undefined ? { idempotency_key: call.key } : {};
  const expected =
    'expectedVersion' in call && call.expectedVersion !== undefined ? { expected_version: call.expectedVersion } : {};
  if (call.do === 'send') {
    const { to, intent, body, artifacts } = call;
    const proposal = intent === 'propose_action' ? { proposed_action: PROPOSAL } : {};
    const params = { recipient: HANDLES[to] ?? NOBODY, intent, message: text(body), artifacts: artifactsOf(artifacts) };
    return ['message/send', { ...params, ...proposal, ...key }];
  }
  const target = { task_id: state.handoffs[call.on]?.id ?? UNKNOWN_ID, ...key, ...expected };
  switch (call.do) {
    case 'append':
      return ['message/send', { ...target, message: text(call.body), artifacts: artifactsOf(call.artifacts) }];
    case 'draft':
      return ['tasks/draft', { ...target, ...draftOf(call.body), rationale: call.body }];
    case 'get': {
      const { markRead: mark_read, historyLength: history_length, after: after_sequence_no } = call;
      return ['tasks/get', { ...target, mark_read, history_length, after_sequence_no }];
    }
    case 'accept': {
      const { session: session_id, includeThread: include_thread } = call;
      return ['tasks/update', { ...target, transition: 'accept', session_id, include_thread }];
    }
    case 'complete': {
      const { body: result_summary, outcome, artifacts } = call;
      const done = { result_summary, outcome, artifacts: artifactsOf(artifacts) };
      return ['tasks/update', { ...target, transition: 'complete', ...done }];
    }
    case 'cancel':
      return call.byUpdate ? ['tasks/update', { ...target, transition: 'cancel' }] : ['tasks/cancel', target];
  }
}
