import { LIMITS } from '@agentrelay/protocol';
import type { EvidenceOptions } from '../evidence-options';
import { artifactsOf } from '../git/evidence';
import type { Output } from '../output';
import { openRelay } from '../relay';
import { write } from '../writing';
import { writtenText } from '../written-text';

interface Options extends EvidenceOptions {
  idempotencyKey?: string;
}

/** Adds a message to a thread. */
export async function run(out: Output, id: string, given: string, options: Options): Promise<void> {
  const text = await writtenText(given, 'message', LIMITS.messageBody);
  const artifacts = await artifactsOf(options);
  const params = {
    task_id: id,
    message: { role: 'user' as const, parts: [{ type: 'text' as const, text }] },
    artifacts,
  };
  const relay = openRelay();
  const stored = await write(['reply', params], options.idempotencyKey, (key) => relay.append(params, key));
  const { thread_id, message_id, sequence_no, created_at } = stored;
  out.result({ thread_id, message_id, sequence_no, created_at }, [
    `Stored as message ${sequence_no} of thread ${thread_id}.`,
    `Wait for an answer: agentrelay wait`,
  ]);
}
