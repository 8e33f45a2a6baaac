import { readConfigFile, TrustFile } from '@agentrelay/workstation';
import type { Output } from '../output';
import { home, openRelay } from '../relay';
import { shortLine } from '../short-line';
import { threadHead } from '../thread-parts';
import { overlayOf, refuseWithheld } from '../trusting';
import { sessionId, write } from '../writing';

/** Takes a handoff on. What trust.yaml withholds is not accepted. */
export async function run(out: Output, id: string, { idempotencyKey }: { idempotencyKey?: string }): Promise<void> {
  const relay = openRelay();
  const trust = TrustFile.load(home());
  const [{ handle: self }, thread] = await Promise.all([relay.whoAmI(), threadHead(relay, id)]);
  refuseWithheld(trust, thread, self);
  const params = {
    task_id: id,
    transition: 'accept' as const,
    session_id: sessionId(readConfigFile(home())?.default_session_id),
    include_thread: false,
  };
  const { thread_id, status } = await write(['accept', params], idempotencyKey, (key) => relay.update(params, key));
  const { overlay, cautions } = overlayOf(trust, thread, self);
  out.result(
    { thread_id, status: status.state, sender: thread.sender.handle, intent: thread.intent, trust_overlay: overlay },
    [
      `Accepted thread ${thread_id} from ${thread.sender.handle} (${shortLine(thread.sender.name)}), ${thread.intent}.`,
      ...cautions,
      `Read it: agentrelay show ${thread_id}`,
      `Finish it: agentrelay complete ${thread_id} 'what was done'`,
    ],
  );
}
