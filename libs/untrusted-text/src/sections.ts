import {
  type Artifact,
  ARTIFACT_MEMBERS,
  type WireMessage,
  type WireProposedAction,
  type WireThread,
} from '@agentrelay/protocol';

/** One labelled piece of content. The label is ours, word for word; the content is not. */
export interface Section {
  label: string;
  content: string;
}

/** One message of a thread as sections; the first one with everything that the handoff opened with. */
export function messageSections(message: WireMessage, thread: WireThread): Section[] {
  const label = `message ${message.sequence_no}`;
  return [
    { label: `${label} (${message.kind}, ${message.created_at})`, content: message.body },
    ...artifactSections(message.artifacts, `${label}, `),
    ...objectSections(`${label}, payload`, message.payload),
    ...(message.sequence_no === 1 ? openingSections(thread) : []),
  ];
}

function openingSections({ metadata, proposed_action }: WireThread): Section[] {
  const { question, ...others } = metadata;
  return [
    ...(typeof question === 'string' ? [{ label: 'question', content: question }] : []),
    ...(proposed_action === null ? [] : proposedActionSections(proposed_action)),
    ...objectSections('metadata', typeof question === 'string' ? others : metadata),
  ];
}

/**
 * What a teammate attached, as sections: a known member each, so that diffs keep their lines; members that the type
 * does not know go together as JSON, because their names are not ours either.
 */
function artifactSections(artifacts: readonly Artifact[], prefix = ''): Section[] {
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

function proposedActionSections(action: WireProposedAction): Section[] {
  const { description, target_files, rationale, suggested_diff } = action;
  return [
    { label: 'proposed action, description', content: description },
    { label: 'proposed action, target files', content: target_files.join('\n') },
    { label: 'proposed action, rationale', content: rationale },
    ...(suggested_diff === undefined ? [] : [{ label: 'proposed action, suggested diff', content: suggested_diff }]),
  ];
}

/** A free-form object as one section, or none when it is empty. */
function objectSections(label: string, value: Record<string, unknown>): Section[] {
  return Object.keys(value).length === 0 ? [] : [{ label, content: JSON.stringify(value, null, 2) }];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
