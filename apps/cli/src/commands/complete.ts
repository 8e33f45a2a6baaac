import { LIMITS, type Outcome } from '@agentrelay/protocol';
import { readConfigFile } from '@agentrelay/workstation';
import type { EvidenceOptions } from '../evidence-options';
import { artifactsOf } from '../git/evidence';
import type { Output } from '../output';
import { home, openRelay } from '../relay';
import { sessionId, write } from '../writing';
import { writtenText } from '../written-text';

interface Options extends EvidenceOptions {
  failed?: boolean;
  idempotencyKey?: string;
}

/** Closes a handoff that this agent accepted, with its result. */
export async function run(out: Output, id: string, given: string, options: Options): Promise<void> {
  const outcome: Outcome = options.failed === true ? 'failed' : 'answered';
  const params = {
    task_id: id,
    transition: 'complete' as const,
    session_id: sessionId(readConfigFile(home())?.default_session_id),
    result_summary: await writtenText(given, 'result', LIMITS.resultSummary),
    artifacts: await artifactsOf(options),
    outcome,
  };
  const relay = openRelay();
  const done = await write(['complete', params], options.idempotencyKey, (key) => relay.update(params, key));
  const { thread_id, status, completed_at } = done;
  out.result({ thread_id, status: status.state, outcome, completed_at }, [
    `Thread ${thread_id} is ${status.state} (${outcome}). The sender sees the result.`,
  ]);
}
