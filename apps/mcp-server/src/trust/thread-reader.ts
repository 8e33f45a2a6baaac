import type { WireThread } from '@agentrelay/protocol';
import type { RelayClient } from '@agentrelay/relay-client';
import type { TrustFile } from '@agentrelay/workstation';
import { counterpartOf } from './trust-overlay';
import { reasonToWithhold, Withheld } from './withheld';

/** Beyond every message: asks for a thread without its messages. */
const NO_MESSAGES = 1_000_000;

/** Reads a thread; what is withheld is not marked as read. @throws Withheld, and what the client throws */
export async function readThread(
  client: RelayClient,
  trust: TrustFile,
  self: string,
  threadId: string,
  markRead = true,
): Promise<WireThread> {
  await refuseWithheld(client, trust, self, threadId);
  const params = { task_id: threadId, ...(!markRead && { mark_read: false }) };
  return client.read('tasks/get', params);
}

/** Looks, without a trace, who wrote a thread. Costs a call only where the file can withhold anything. @throws Withheld */
export async function refuseWithheld(
  client: RelayClient,
  trust: TrustFile,
  self: string,
  threadId: string,
): Promise<void> {
  if (!trust.mayWithhold()) return;
  const thread = await client.read('tasks/get', {
    task_id: threadId,
    mark_read: false,
    after_sequence_no: NO_MESSAGES,
  });
  const handle = counterpartOf(thread, self);
  const reason = reasonToWithhold(trust.trustOf(handle), thread.sender.handle === handle);
  if (reason !== undefined) throw new Withheld(handle, reason);
}
