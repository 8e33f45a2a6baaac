import { LIMITS } from '@agentrelay/protocol';
import { isPlainObject, listFault, ValidateWith, stringFault, unknownMemberFault } from '../http';

const MEMBERS = ['description', 'target_files', 'rationale', 'suggested_diff'];

/** What the sender asks the recipient's agent to do (seed 000). */
export function IsProposedAction(): PropertyDecorator {
  return ValidateWith('`{description, target_files[], rationale, suggested_diff?}`', proposedActionFault);
}

function proposedActionFault(value: unknown): string | undefined {
  if (!isPlainObject(value)) return 'must be an object';
  const unknown = unknownMemberFault(value, MEMBERS);
  if (unknown !== undefined) return unknown;
  const { description, target_files: targetFiles, rationale, suggested_diff: suggestedDiff } = value;
  return (
    named('description', stringFault(description, 1, LIMITS.proposedActionText)) ??
    named('rationale', stringFault(rationale, 1, LIMITS.proposedActionText)) ??
    named(
      'target_files',
      listFault(targetFiles, LIMITS.targetFiles, (file) => stringFault(file, 1, LIMITS.proposedActionText)),
    ) ??
    (suggestedDiff === undefined || suggestedDiff === null
      ? undefined
      : named('suggested_diff', stringFault(suggestedDiff, 1, LIMITS.proposedActionText)))
  );
}

function named(member: string, fault: string | undefined): string | undefined {
  return fault === undefined ? undefined : `${member} ${fault}`;
}
