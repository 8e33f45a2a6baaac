import { LIMITS } from './limits';
import { textFault } from './text';

/** What a known member of an artifact must be. Unknown members are free and kept as sent. */
export type MemberRule =
  | { kind: 'text'; required: boolean; nonEmpty: boolean }
  | { kind: 'url'; required: boolean }
  | { kind: 'line_range'; required: boolean }
  | { kind: 'json'; required: boolean };

/**
 * The five artifact types of seed 000 (domain.md 2). The relay's validator and the MCP tools' schema are
 * both made from this table, so that they cannot disagree.
 */
export const ARTIFACT_MEMBERS = {
  file_diff: {
    path: { kind: 'text', required: true, nonEmpty: true },
    diff: { kind: 'text', required: true, nonEmpty: false },
  },
  file_ref: {
    path: { kind: 'text', required: true, nonEmpty: true },
    git_sha: { kind: 'text', required: false, nonEmpty: false },
    lines: { kind: 'line_range', required: false },
  },
  test_command: {
    command: { kind: 'text', required: true, nonEmpty: true },
    cwd: { kind: 'text', required: false, nonEmpty: false },
  },
  api_contract: {
    schema_url: { kind: 'url', required: false },
    inline: { kind: 'json', required: false },
  },
  link: {
    url: { kind: 'url', required: true },
    title: { kind: 'text', required: false, nonEmpty: false },
  },
} as const satisfies Record<string, Record<string, MemberRule>>;

export type ArtifactType = keyof typeof ARTIFACT_MEMBERS;
export const ARTIFACT_TYPES = Object.keys(ARTIFACT_MEMBERS) as ArtifactType[];

/** A typed artifact as it travels: known members as the table says, anything else as sent. */
export type Artifact = { type: ArtifactType } & Record<string, unknown>;

/** The first reason why `value` is not an artifact, as "member must …", or undefined when it is one. */
export function artifactFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object';
  const artifact = value as Record<string, unknown>;
  const type = artifact['type'];
  if (typeof type !== 'string' || !Object.hasOwn(ARTIFACT_MEMBERS, type)) {
    return `type must be one of ${ARTIFACT_TYPES.join(', ')}`;
  }
  const rules: Record<string, MemberRule> = ARTIFACT_MEMBERS[type as ArtifactType];
  for (const [member, rule] of Object.entries(rules)) {
    const fault = memberFault(Object.hasOwn(artifact, member) ? artifact[member] : undefined, rule);
    if (fault) return `${member} ${fault}`;
  }
  if (jsonBytes(artifact) > LIMITS.artifactBytes) {
    return `must be at most ${LIMITS.artifactBytes} bytes; send a file_ref to something this large`;
  }
  return undefined;
}

/** Why `value` breaks `rule`, or undefined; a null optional member counts as absent. */
export function memberFault(value: unknown, rule: MemberRule): string | undefined {
  if (value === undefined || value === null) return rule.required ? 'is required' : undefined;
  switch (rule.kind) {
    case 'text':
      if (typeof value !== 'string') return 'must be a string';
      if (rule.nonEmpty && value === '') return 'must not be empty';
      return textFault(value);
    case 'url':
      return typeof value === 'string' && URL.canParse(value) ? textFault(value) : 'must be an absolute URL';
    case 'line_range':
      return isLineRange(value) ? undefined : 'must be [from, to]: two integers from 0 on, in order';
    case 'json':
      return jsonBytes(value) <= LIMITS.inlineBytes ? undefined : `must be at most ${LIMITS.inlineBytes} bytes of JSON`;
  }
}

/** Size of `value` as UTF-8 JSON. */
export function jsonBytes(value: unknown): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function isLineRange(value: unknown): boolean {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [from, to] = value as unknown[];
  return (
    Number.isSafeInteger(from) &&
    Number.isSafeInteger(to) &&
    (from as number) >= 0 &&
    (from as number) <= (to as number)
  );
}
