import { setTimeout as pause } from 'node:timers/promises';
import type { WireRpcAnswer } from '@agentrelay/protocol';
import { type Answer, type TestAgent, text } from '@agentrelay/testing';

/** What became of a request: its result, the refusal, or no answer at all. */
type Outcome = 'ok' | 'cut' | 'unavailable' | `odd: ${string}`;

/** Keeps every agent at work at its replica, and notes what it gets; a write is repeated until it is answered. */
export class BusyAgents {
  /** How often each outcome was seen. */
  readonly seen = new Map<Outcome, number>();
  readonly acknowledged: string[] = [];
  private stopping = false;
  private readonly work: Promise<unknown>;
  private keys = 0;

  constructor(senders: readonly TestAgent[], recipient: string) {
    this.work = Promise.all(senders.map((sender) => this.keepSending(sender, recipient)));
  }

  count(outcome: Outcome): number {
    return this.seen.get(outcome) ?? 0;
  }

  async stop(): Promise<void> {
    this.stopping = true;
    await this.work;
  }

  private async keepSending(sender: TestAgent, recipient: string): Promise<void> {
    while (!this.stopping) {
      const params = { recipient, message: text('Please have a look.'), idempotency_key: `key-${++this.keys}` };
      let id: string | undefined;
      while (id === undefined) {
        const answer = await sender.rpc('message/send', params).catch(() => undefined);
        id = this.note(answer);
        if (id === undefined) await pause(20);
      }
      this.acknowledged.push(id);
    }
  }

  /** The id of the handoff, when it was stored. */
  private note(answer: Answer | undefined): string | undefined {
    const outcome = outcomeOf(answer);
    this.seen.set(outcome, this.count(outcome) + 1);
    return outcome === 'ok' ? (answer?.body as { result: { task_id: string } }).result.task_id : undefined;
  }
}

function outcomeOf(answer: Answer | undefined): Outcome {
  if (answer === undefined) return 'cut';
  const body = answer.body as WireRpcAnswer;
  if ('result' in body) return 'ok';
  const { code, data } = body.error;
  const told = answer.status === 503 && code === -32037 && answer.headers.get('retry-after') !== null;
  return told && data.code === 'unavailable' ? 'unavailable' : `odd: ${answer.status} ${JSON.stringify(body.error)}`;
}
