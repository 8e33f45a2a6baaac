import type { WireMessage, WireThread } from '@agentrelay/protocol';
import { z } from 'zod';

/** Who wrote what stands beside it: the user's own side, or somebody whose words are data. */
const provenance = z.enum(['own', 'untrusted']);
/** As the author sent it, made visible. */
const asSent = z.unknown();

/** What a model must know before it reads the members after it. Some clients hand it these and never the text. */
export const notice = z.string().optional();

const contentSchema = z.object({
  provenance,
  author: z.string(),
  body: z.string(),
  artifacts: z.array(asSent),
  payload: asSent,
});

/** A thread for programs: foreign values stand only in objects that name their provenance, or under `untrusted_*`. */
export const threadSchema = z.object({
  notice,
  thread_id: z.string(),
  status: z.string(),
  intent: z.string(),
  sender: z.string(),
  recipient: z.string(),
  version: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
  accepted_at: z.string().nullable(),
  completed_at: z.string().nullable(),
  cancelled_at: z.string().nullable(),
  outcome: z.string().optional(),
  inbox_url: z.string(),
  traceparent: z.string().optional(),
  handoff: z.object({
    provenance,
    summary: z.string(),
    artifacts: z.array(asSent),
    proposed_action: asSent,
    metadata: asSent,
  }),
  result: z.object({ provenance, summary: z.string(), artifacts: z.array(asSent) }).optional(),
  messages: z.array(contentSchema.extend({ sequence_no: z.number(), kind: z.string(), created_at: z.string() })),
});

type StructuredThread = z.output<typeof threadSchema>;

export function structuredThread(thread: WireThread, self: string): StructuredThread {
  const of = (author: string): 'own' | 'untrusted' => (author === self ? 'own' : 'untrusted');
  return {
    thread_id: thread.thread_id,
    status: thread.status.state,
    intent: thread.intent,
    sender: thread.sender.handle,
    recipient: thread.recipient.handle,
    version: thread.version,
    created_at: thread.created_at,
    updated_at: thread.updated_at,
    accepted_at: thread.accepted_at,
    completed_at: thread.completed_at,
    cancelled_at: thread.cancelled_at,
    ...(thread.outcome === undefined ? {} : { outcome: thread.outcome }),
    inbox_url: thread.inbox_url,
    ...(thread.traceparent === undefined ? {} : { traceparent: thread.traceparent }),
    handoff: {
      provenance: of(thread.sender.handle),
      summary: thread.summary,
      artifacts: thread.artifacts,
      proposed_action: thread.proposed_action,
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
