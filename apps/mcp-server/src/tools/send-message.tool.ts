import { LIMITS, type WireAppended } from '@agentrelay/protocol';
import { z } from 'zod';
import { ToolText } from '../provenance';
import { artifacts, jsonObject, resultText, text, threadId } from './schemas';
import { ADDS, defineTool } from './tool';

export const sendMessage = defineTool({
  name: 'send_message',
  title: 'Reply in a thread',
  description:
    'Adds a message to a thread while it is pending or accepted: an answer, a question back, a status. ' +
    'Not for new work (handoff_to_teammate) and not for the final result (complete_handoff). Messages cannot be changed later.',
  input: z.object({
    thread_id: threadId,
    body: text(LIMITS.messageBody).describe('What you want to say.'),
    payload: jsonObject(LIMITS.payloadBytes).optional().describe('Structured data beside the text.'),
    artifacts: artifacts.optional(),
  }),
  output: z.object({
    text: resultText,
    thread_id: z.string(),
    message_id: z.string(),
    sequence_no: z.number(),
    created_at: z.string(),
  }),
  annotations: ADDS,
  async run({ thread_id, body, payload, artifacts: attached }, { client, idempotencyKey }) {
    const appended = (await client.write(
      'message/send',
      {
        task_id: thread_id,
        message: { role: 'user', parts: [{ type: 'text', text: body }] },
        payload: payload ?? {},
        artifacts: attached ?? [],
      },
      idempotencyKey,
    )) as WireAppended;
    const { message_id, sequence_no, created_at } = appended;
    return {
      structured: { thread_id, message_id, sequence_no, created_at },
      text: new ToolText().say(`Stored as message ${sequence_no} of thread ${thread_id}.`),
    };
  },
});
