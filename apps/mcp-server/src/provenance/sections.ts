import { type Artifact, ARTIFACT_MEMBERS, type WireProposedAction } from '@agentrelay/protocol';
import type { Section } from './tool-text';

/**
 * What a teammate attached, as sections: a known member each, so that diffs keep their lines; members that the type
 * does not know go together as JSON, because their names are not ours either.
 */
export function artifactSections(artifacts: readonly Artifact[], prefix = ''): Section[] {
  return artifacts.flatMap((artifact, index) => {
    // A newer relay may pass on types that this client does not know.
    const isKnown = Object.hasOwn(ARTIFACT_MEMBERS, artifact.type);
    const label = `${prefix}artifact ${index + 1} (${isKnown ? artifact.type : 'of an unknown type'})`;
    const members = isKnown ? Object.keys(ARTIFACT_MEMBERS[artifact.type]) : [];
    const known = members.filter((member) => artifact[member] !== undefined);
    const shown = isKnown ? ['type', ...known] : [];
    const rest = Object.fromEntries(Object.entries(artifact).filter(([member]) => !shown.includes(member)));
    return [
      ...known.map((member) => ({ label: `${label}, ${member}`, content: asText(artifact[member]) })),
      ...objectSections(`${label}, other members`, rest),
    ];
  });
}

export function proposedActionSections(action: WireProposedAction): Section[] {
  const { description, target_files, rationale, suggested_diff } = action;
  return [
    { label: 'proposed action, description', content: description },
    { label: 'proposed action, target files', content: target_files.join('\n') },
    { label: 'proposed action, rationale', content: rationale },
    ...(suggested_diff === undefined ? [] : [{ label: 'proposed action, suggested diff', content: suggested_diff }]),
  ];
}

/** A free-form object as one section, or none when it is empty. */
export function objectSections(label: string, value: Record<string, unknown>): Section[] {
  return Object.keys(value).length === 0 ? [] : [{ label, content: JSON.stringify(value, null, 2) }];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
