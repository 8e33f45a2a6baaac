import { setTimeout as pause } from 'node:timers/promises';
import type { WireRpcAnswer } from '@agentrelay/protocol';
import type { Acknowledgement, Attempt, History, Operation, Request } from './history';
import type { Random } from './random';

/** Longer than any pause of the network or of a process, and what the relay itself may take after it. */
export const ATTEMPT_TIMEOUT_MS = 45_000;
const GIVE_UP_MS = 180_000;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;

type Result = Record<string, unknown>;

/** An agent as a well-behaved client: any replica will do, and what got no answer is repeated under the same key. */
export class Client {
  private keys = 0;

  constructor(
    readonly handle: string,
    private readonly apiKey: string,
    private readonly urls: readonly string[],
    private readonly history: History,
    private readonly random: Random,
  ) {}

  /** Makes a request until it is answered. Returns the operation and, when it was acknowledged, the result. */
  async make(method: string, params: Result, request: Omit<Request, 'agent'>): Promise<Result | undefined> {
    const operation = this.history.invoked({ agent: this.handle, ...request });
    const reads = request.kind === 'get' || request.kind === 'list';
    const keyed = reads ? params : { ...params, idempotency_key: `${this.handle}-${++this.keys}` };
    const end = Date.now() + GIVE_UP_MS;
    for (let attempt = 0; Date.now() < end; attempt++) {
      const { told, result } = await this.attempt(operation, method, keyed);
      if (told.outcome === 'acknowledged') return result;
      if (told.outcome === 'refused' && told.symbol !== 'rate_limited') return undefined;
      await this.backOff(attempt);
    }
    return undefined;
  }

  /** Waits before the nth repetition: longer each time, within bounds, and never in step with others. */
  backOff(attempt: number): Promise<void> {
    return pause(this.random.next() * Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS));
  }

  anyUrl(): string {
    return this.random.pick(this.urls);
  }

  get authorization(): Record<string, string> {
    return { authorization: `Bearer ${this.apiKey}` };
  }

  /** One call of the native API. @throws Error when there is no answer */
  async call(url: string, method: string, params: Result, waitMs = 0): Promise<WireRpcAnswer> {
    const response = await fetch(`${url}/a2a`, {
      method: 'POST',
      headers: { ...this.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(ATTEMPT_TIMEOUT_MS + waitMs),
    });
    return (await response.json()) as WireRpcAnswer;
  }

  private async attempt(
    operation: Operation,
    method: string,
    params: Result,
  ): Promise<{ told: Attempt; result?: Result }> {
    const url = this.anyUrl();
    const start = performance.now();
    const note = (told: Attempt): Attempt => {
      this.history.attempted(operation, told, url, performance.now() - start);
      return told;
    };
    try {
      const answer = await this.call(url, method, params);
      if ('error' in answer) return { told: note(refusal(answer.error.data.code)) };
      const result = answer.result as Result;
      return { told: note({ outcome: 'acknowledged', answer: acknowledgement(result) }), result };
    } catch (error) {
      const reason = (error as Error).name === 'TimeoutError' ? 'timeout' : 'cut';
      return { told: note({ outcome: 'unknown', reason }) };
    }
  }
}

function refusal(symbol: string): Attempt {
  if (symbol === 'unavailable' || symbol === 'internal') return { outcome: 'unknown', reason: symbol };
  return { outcome: 'refused', symbol };
}

function acknowledgement(result: Result): Acknowledgement {
  const { task_id, message_id, sequence_no } = result;
  return {
    task: String(task_id),
    ...(typeof message_id === 'string' && { message: message_id }),
    ...(typeof sequence_no === 'number' && { sequence: sequence_no }),
  };
}
