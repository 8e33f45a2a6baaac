import { visibleLine } from '@agentrelay/untrusted-text';
import { type TeammateTrust, TrustFile } from '@agentrelay/workstation';
import type { Output } from '../output';
import { home } from '../relay';
import { trustLine, unknownMembersLine, wireTrust } from '../trust-lines';

/** Shows what trust.yaml says. */
export function run(out: Output): void {
  const trust = TrustFile.load(home());
  const teammates: TeammateTrust[] = trust.teammates();
  const blocked = trust.blocked();
  const { policy } = trust.trustOf('anybody@else');
  const unknown = trust.unknownMembers();
  const listed = { path: trust.path, teammates: teammates.map(wireTrust), blocked, unknown_teammates: policy };
  out.result({ ...listed, unknown_members: unknown }, [
    ...teammates.map(trustLine),
    ...blocked.map((handle) => `${handle}: blocked`),
    `Everybody else: ${policy}. (${trust.path})`,
    ...(unknown.length === 0 ? [] : [visibleLine(`Warning: ${unknownMembersLine(unknown)}`)]),
    'Change it with: agentrelay trust set <handle>',
  ]);
}
