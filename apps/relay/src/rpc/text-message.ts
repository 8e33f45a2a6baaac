import { LIMITS } from '@agentrelay/protocol';
import { isPlainObject, listFault, ValidateWith, stringFault, unknownMemberFault } from '../http';

/** A message of text parts, in the spelling of the seeds (`type`) or of A2A (`kind`). */
export interface TextMessage {
  role?: 'user' | 'agent' | null;
  parts: { text: string }[];
}

/** The text of a message: its parts, a line each. */
export function textOf(message: TextMessage): string {
  return message.parts.map(({ text }) => text).join('\n');
}

export function IsTextMessage(): PropertyDecorator {
  return ValidateWith('message: `{role?, parts: [{type: "text", text}]}`', textMessageFault);
}

function textMessageFault(value: unknown): string | undefined {
  if (value === undefined) return 'is required';
  if (!isPlainObject(value)) return 'must be an object with parts';
  const unknown = unknownMemberFault(value, ['role', 'parts']);
  if (unknown !== undefined) return unknown;
  const { role, parts } = value;
  if (role !== undefined && role !== null && role !== 'user' && role !== 'agent') return 'role must be user or agent';
  if (!Array.isArray(parts) || parts.length === 0) return 'parts must be a list of at least one text part';
  const fault = listFault(parts, LIMITS.textParts, partFault);
  return fault === undefined ? undefined : `parts ${fault}`;
}

function partFault(part: unknown): string | undefined {
  if (!isPlainObject(part)) return 'must be an object like {"type": "text", "text": "…"}';
  const unknown = unknownMemberFault(part, ['type', 'kind', 'text']);
  if (unknown !== undefined) return unknown;
  if ((part['type'] ?? part['kind']) !== 'text') return 'type must be "text"; attach anything else as an artifact';
  return stringFault(part['text'], 0, LIMITS.messageBody);
}
