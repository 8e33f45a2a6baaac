import type { WireMessage, WireThread } from '@agentrelay/protocol';
import { artifactSections, objectSections, proposedActionSections } from './sections';
import type { Section, ToolText } from './tool-text';

/** A whole thread as text: each contribution in a block of its own, the reader's own ones told apart. */
export function sayThread(text: ToolText, thread: WireThread, self: string): ToolText {
  const { question, ...metadata } = thread.metadata;
  const opening = [
    ...(typeof question === 'string' ? [{ label: 'question', content: question }] : []),
    ...(thread.proposed_action === null ? [] : proposedActionSections(thread.proposed_action)),
    ...objectSections('metadata', typeof question === 'string' ? metadata : thread.metadata),
  ];
  for (const message of thread.messages) {
    const sections = [...messageSections(message), ...(message.sequence_no === 1 ? opening : [])];
    if (message.from === self) text.own(sections);
    else text.untrusted(message.from, sections);
  }
  return text;
}

function messageSections(message: WireMessage): Section[] {
  const label = `message ${message.sequence_no} (${message.kind}, ${message.created_at})`;
  return [
    { label, content: message.body },
    ...artifactSections(message.artifacts, `message ${message.sequence_no}, `),
    ...objectSections(`message ${message.sequence_no}, payload`, message.payload),
  ];
}
