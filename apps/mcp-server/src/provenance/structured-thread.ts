import type { WireMessage, WireParticipant, WireThread } from '@agentrelay/protocol';
import { z } from 'zod';

/** Who wrote what stands beside it: the user's own side, or somebody whose words are data. */
const provenance = z.enum(['own', 'untrusted']);
const freeObject = z.record(z.string(), z.unknown());

export const participantSchema = z.object({
  handle: z.string(),
  untrusted_name: z.string(),
  untrusted_role: z.string(),
});

const contentSchema = z.object({
  provenance,
  author: z.string(),
  body: z.string(),
  artifacts: z.array(freeObject),
  payload: freeObject,
});

/** A thread for programs: foreign values stand only in objects that name their provenance, or under `untrusted_*`. */
export const threadSchema = z.object({
  thread_id: z.string(),
  status: z.string(),
  intent: z.string(),
  sender: participantSchema,
  recipient: participantSchema,
  version: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
  accepted_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  cancelled_at: z.string().nullable(),
  outcome: z.string().optional(),
  inbox_url: z.string(),
  handoff: z.object({
    provenance,
    summary: z.string(),
    artifacts: z.array(freeObject),
    proposed_action: freeObject.nullable(),
    metadata: freeObject,
  }),
  result: z.object({ provenance, summary: z.string(), artifacts: z.array(freeObject) }).optional(),
  messages: z.array(contentSchema.extend({ sequence_no: z.number(), kind: z.string(), created_at: z.string() })),
});

type StructuredThread = z.output<typeof threadSchema>;

export function structuredThread(thread: WireThread, self: string): StructuredThread {
  const of = (author: string): 'own' | 'untrusted' => (author === self ? 'own' : 'untrusted');
  return {
    thread_id: thread.thread_id,
    status: thread.status.state,
    intent: thread.intent,
    sender: structuredParticipant(thread.sender),
    recipient: structuredParticipant(thread.recipient),
    version: thread.version,
    created_at: thread.created_at,
    updated_at: thread.updated_at,
    accepted_at: thread.accepted_at,
    completed_at: thread.completed_at,
    cancelled_at: thread.cancelled_at,
    ...(thread.outcome === undefined ? {} : { outcome: thread.outcome }),
    inbox_url: thread.inbox_url,
    handoff: {
      provenance: of(thread.sender.handle),
      summary: thread.summary,
      artifacts: thread.artifacts,
      proposed_action: thread.proposed_action === null ? null : { ...thread.proposed_action },
      metadata: thread.metadata,
    },
    ...(thread.completed_summary === null
      ? {}
      : {
          result: {
            provenance: of(thread.recipient.handle),
            summary: thread.completed_summary,
            artifacts: thread.completion_artifacts,
          },
        }),
    messages: thread.messages.map((message) => structuredMessage(message, of(message.from))),
  };
}

export function structuredParticipant({ handle, name, role }: WireParticipant): z.output<typeof participantSchema> {
  return { handle, untrusted_name: name, untrusted_role: role };
}

function structuredMessage(message: WireMessage, origin: 'own' | 'untrusted'): StructuredThread['messages'][number] {
  return {
    provenance: origin,
    author: message.from,
    sequence_no: message.sequence_no,
    kind: message.kind,
    created_at: message.created_at,
    body: message.body,
    artifacts: message.artifacts,
    payload: message.payload,
  };
}
