import { z } from 'zod';
import { sayThread, structuredThread, threadSchema, ToolText } from '../provenance';
import { threadId } from './schemas';
import { defineTool, READS } from './tool';

export const viewThread = defineTool({
  name: 'view_thread',
  title: 'Read a thread',
  description:
    'Reads a whole thread that your user takes part in, in any state, and marks it as read. ' +
    'Use it to see replies or a result, or to look at a handoff before accepting it. It changes nothing else.',
  input: z.strictObject({ thread_id: threadId }),
  output: threadSchema,
  annotations: READS,
  async run({ thread_id }, { client, self }) {
    const thread = await client.read('tasks/get', { task_id: thread_id });
    const { status, intent, sender, recipient, outcome } = thread;
    const end = outcome === undefined ? '' : `, outcome ${outcome}`;
    const text = new ToolText().say(
      `Thread ${thread_id}: ${status.state}${end}, ${intent}, from ${sender.handle} to ${recipient.handle}.`,
    );
    return { structured: structuredThread(thread, self), text: sayThread(text, thread, self) };
  },
});
