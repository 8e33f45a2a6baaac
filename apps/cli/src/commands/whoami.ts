import { connectionOf } from '@agentrelay/workstation';
import type { Output } from '../output';
import { shortLine } from '../short-line';
import { openRelay } from '../relay';

/** Who this workstation is, as the relay sees it. */
export async function run(out: Output): Promise<void> {
  const { url } = connectionOf(process.env);
  const { agent_id, handle, name, role, status, principal } = await openRelay().whoAmI();
  const who = { handle, name, role, status, principal, agent_id, relay_url: url };
  out.result(who, [
    `${out.paint('bold', handle)} (${shortLine(name)}${role === '' ? '' : `, ${shortLine(role)}`}) at ${url}`,
    `with a key for ${principal === 'human' ? 'a person' : 'an agent'}.`,
    `See what waits for you: agentrelay inbox`,
  ]);
}
