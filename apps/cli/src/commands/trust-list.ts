import { type TeammateTrust, TrustFile } from '@agentrelay/workstation';
import type { Output } from '../output';
import { home } from '../relay';
import { trustLine, wireTrust } from '../trust-lines';

/** Shows what trust.yaml says. */
export function run(out: Output): void {
  const trust = TrustFile.load(home());
  const teammates: TeammateTrust[] = trust.teammates();
  const blocked = trust.blocked();
  const { policy } = trust.trustOf('anybody@else');
  out.result({ path: trust.path, teammates: teammates.map(wireTrust), blocked, unknown_teammates: policy }, [
    ...teammates.map(trustLine),
    ...blocked.map((handle) => `${handle}: blocked`),
    `Everybody else: ${policy}. (${trust.path})`,
    'Change it with: agentrelay trust set <handle>',
  ]);
}
