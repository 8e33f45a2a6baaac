import { visibleLine } from '@agentrelay/untrusted-text';
import type { TeammateTrust } from '@agentrelay/workstation';

/** What a teammate is trusted with, in the words of trust.yaml. */
export function wireTrust(trust: TeammateTrust): object {
  return {
    handle: trust.handle,
    known: trust.known,
    blocked: trust.blocked,
    auto_read: trust.autoRead,
    auto_test: trust.autoTest,
    auto_write_paths: trust.autoWritePaths,
    require_approval: trust.requireApproval,
  };
}

export function trustLine(trust: TeammateTrust): string {
  if (trust.blocked) return `${trust.handle}: blocked`;
  if (!trust.known) return `${trust.handle}: unknown (${trust.policy})`;
  const may = [
    ...(trust.autoRead ? ['read'] : []),
    ...(trust.autoTest ? ['run tests'] : []),
    ...(trust.autoWritePaths.length > 0 ? [`write ${trust.autoWritePaths.join(', ')}`] : []),
  ];
  const asked = trust.requireApproval.length > 0 ? `; always asked: ${trust.requireApproval.join(', ')}` : '';
  return visibleLine(`${trust.handle}: may ${may.length > 0 ? may.join(', ') : 'do nothing'} unasked${asked}`);
}

/** A misspelt member is told, and not refused: the file may hold the user's own. */
export function unknownMembersLine(members: readonly string[]): string {
  return `these members of trust.yaml change nothing; see whether one is misspelt: ${members.join(', ')}`;
}
