import {
  ARTIFACT_MEMBERS,
  ARTIFACT_TYPES,
  artifactFault,
  type ArtifactType,
  codePoints,
  HANDLE_PATTERN,
  jsonBytes,
  LIMITS,
  type MemberRule,
  textFault,
} from '@agentrelay/protocol';
import { z } from 'zod';

/** The member of every structured answer that a model reads; clients show it this one or the text block. */
export const resultText = z.string().describe('All that a model reads of this result, the same as its text block.');

/** Input schemas shared by the tools. Limits and rules come from the protocol, so that the relay agrees. */

/** A text of `min` to `max` code points that the relay can store. */
export function text(max: number, min = 1): z.ZodString {
  return z.string().superRefine((value, context) => {
    const fault =
      textFault(value) ??
      (codePoints(value) > max ? `must be at most ${max} characters` : undefined) ??
      (codePoints(value) < min ? 'must not be empty' : undefined);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });
}

export const handle = z.string().max(LIMITS.handleLength).regex(HANDLE_PATTERN, 'must look like name@team');

/** Refined rather than `z.uuid()`, whose pattern would make each tool's description 50 tokens longer. */
export const threadId = z
  .string()
  .refine((value) => z.uuid().safeParse(value).success, 'must be the id of a thread')
  .meta({ format: 'uuid', description: 'Id of the thread.' });

/** As `threadId`: the pattern of a time is long. */
export const time = z
  .string()
  .refine(
    (value) => z.iso.datetime({ offset: true }).safeParse(value).success,
    'must be a time such as 2026-05-01T09:00:00Z',
  )
  .meta({ format: 'date-time' });

/** A free-form object of at most `maxBytes` of JSON. */
export function jsonObject(maxBytes: number): z.ZodRecord<z.ZodString, z.ZodUnknown> {
  return z.record(z.string(), z.unknown()).superRefine((value, context) => {
    if (jsonBytes(value) > maxBytes)
      context.addIssue({ code: 'custom', message: `must be at most ${maxBytes} bytes of JSON` });
  });
}

/** The five artifact types with their full shapes; members that a type does not know are passed on. */
export const artifact = z
  .discriminatedUnion('type', artifactObjects() as [z.ZodObject<{ type: z.ZodLiteral<ArtifactType> }>])
  .superRefine((value, context) => {
    const fault = artifactFault(value);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  });

export const artifacts = z.array(artifact).max(LIMITS.artifactsPerMessage);

function artifactObjects(): z.ZodObject<{ type: z.ZodLiteral<ArtifactType> }>[] {
  return ARTIFACT_TYPES.map((type) => {
    const rules: Record<string, MemberRule> = ARTIFACT_MEMBERS[type];
    const members = Object.entries(rules).map(([name, rule]) => {
      const schema = memberSchema(rule);
      return [name, rule.required ? schema : schema.nullish()];
    });
    return z.looseObject({ type: z.literal(type), ...(Object.fromEntries(members) as object) });
  });
}

/** The shape that is shown; `artifactFault` has the last word. */
function memberSchema(rule: MemberRule): z.ZodType {
  switch (rule.kind) {
    case 'text':
      return rule.nonEmpty ? z.string().min(1) : z.string();
    case 'url':
      return z.string().meta({ format: 'uri' });
    case 'line_range':
      // A list, not a tuple: not every client takes the schema of one. `artifactFault` says what it holds.
      return z.array(z.number().int().min(0)).min(2).max(2).describe('[from, to]');
    case 'json':
      return z.unknown();
  }
}

export const proposedAction = z.strictObject({
  description: text(LIMITS.proposedActionText).describe('What the action does.'),
  target_files: z
    .array(text(LIMITS.proposedActionText))
    .max(LIMITS.targetFiles)
    .describe('Paths the teammate’s agent would touch; may be empty.'),
  rationale: text(LIMITS.proposedActionText).describe('Why it is needed.'),
  suggested_diff: text(LIMITS.proposedActionText).optional().describe('Unified diff, when you have one.'),
});
