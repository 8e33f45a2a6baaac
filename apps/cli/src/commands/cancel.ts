import type { Output } from '../output';
import { openRelay } from '../relay';
import { write } from '../writing';

/** Withdraws a handoff that nobody has accepted. */
export async function run(out: Output, id: string, { idempotencyKey }: { idempotencyKey?: string }): Promise<void> {
  const relay = openRelay();
  const params = { task_id: id };
  const { thread_id, status, cancelled_at } = await write(['cancel', params], idempotencyKey, (key) =>
    relay.cancel(params, key),
  );
  out.result({ thread_id, status: status.state, cancelled_at }, [`Thread ${thread_id} is ${status.state}.`]);
}
