import { Caller, type RpcCall } from './load';
import { type Counted, onThePath, type StatementCounter } from './statement-counter';
import type { Member } from './team';
import { handoffContent, sendParams } from './content';

/** Calls of one kind that are counted together. */
const CALLS = 20;

export const STATEMENT_BUDGETS = { send: 4, list: 1, get: 2, accept: 4, complete: 4, append: 4 } as const;
export type Operation = keyof typeof STATEMENT_BUDGETS;

export interface OperationCount {
  operation: Operation;
  /** Statements one call needs. */
  statements: number;
  counted: Counted[];
}

/** Has every operation done by calls that follow each other, with idempotency keys, and counts what each costs the database. */
export async function countOperations(
  url: string,
  counter: StatementCounter,
  sender: Member,
  recipient: Member,
): Promise<OperationCount[]> {
  const caller = new Caller(url);
  const threads: string[] = [];
  const call = (by: Member, method: string, params: object): RpcCall => ({ apiKey: by.apiKey, method, params });
  const key = (name: string, n: number): object => ({ metadata: { client_idempotency_key: `${name}-${n}` } });
  const calls: Record<Operation, (n: number) => RpcCall> = {
    send: (n) => call(sender, 'message/send', sendParams(recipient.handle, handoffContent(), `send-${n}`)),
    list: () => call(recipient, 'tasks/list', {}),
    get: (n) => call(recipient, 'tasks/get', { task_id: threads[n] }),
    accept: (n) => call(recipient, 'tasks/update', { task_id: threads[n], transition: 'accept', ...key('accept', n) }),
    append: (n) =>
      call(recipient, 'message/send', {
        task_id: threads[n],
        message: { parts: [{ type: 'text', text: 'Which page size?' }] },
        ...key('append', n),
      }),
    complete: (n) =>
      call(recipient, 'tasks/update', {
        task_id: threads[n],
        transition: 'complete',
        result_summary: 'Done.',
        ...key('complete', n),
      }),
  };
  const counts: OperationCount[] = [];
  // In the order of a handoff's life.
  for (const operation of Object.keys(calls) as Operation[]) {
    const counted = await counter.during(async () => {
      for (let n = 0; n < CALLS; n++) {
        const { task_id } = await caller.result<{ task_id?: string }>(calls[operation](n));
        if (operation === 'send' && task_id !== undefined) threads.push(task_id);
      }
    });
    const total = onThePath(counted).reduce((sum, { calls: times }) => sum + times, 0);
    counts.push({ operation, statements: total / CALLS, counted });
  }
  caller.close();
  return counts;
}
