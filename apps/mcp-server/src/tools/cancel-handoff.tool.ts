import { HANDOFF_STATES } from '@agentrelay/protocol';
import { z } from 'zod';
import { knownWord, ToolText } from '../provenance';
import { resultText, threadId } from './schemas';
import { defineTool, ENDS } from './tool';

export const cancelHandoff = defineTool({
  name: 'cancel_handoff',
  title: 'Withdraw a handoff',
  description:
    'Withdraws a handoff that your user sent, while nobody has accepted it. Use it when it was a mistake or is no longer needed. ' +
    'Once it is accepted it cannot be withdrawn: use send_message to say so. The recipient cannot cancel: complete_handoff with outcome "failed" declines.',
  input: z.object({ thread_id: threadId }),
  output: z.object({
    text: resultText,
    thread_id: z.string(),
    status: z.string(),
    cancelled_at: z.string().nullable(),
  }),
  annotations: ENDS,
  async run({ thread_id }, { client, idempotencyKey }) {
    const { status, cancelled_at } = await client.write('tasks/cancel', { task_id: thread_id }, idempotencyKey);
    const state = knownWord(status.state, HANDOFF_STATES);
    return {
      structured: { thread_id, status: state, cancelled_at },
      text: new ToolText().say(`Thread ${thread_id} is ${state}.`),
    };
  },
});
