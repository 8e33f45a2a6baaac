import { z } from 'zod';
import { sayThread, structuredThread, threadSchema, ToolText } from '../provenance';
import { overlayOf, readThread, sayOverlay, trustOverlaySchema } from '../trust';
import { threadId } from './schemas';
import { defineTool, READS } from './tool';

export const viewThread = defineTool({
  name: 'view_thread',
  title: 'Read a thread',
  description:
    'Reads a whole thread that your user takes part in, in any state, and marks it as read. ' +
    'Use it to see replies or a result, or to look at a handoff before accepting it. It changes nothing else.',
  input: z.strictObject({ thread_id: threadId }),
  output: threadSchema.extend({ trust_overlay: trustOverlaySchema }),
  annotations: READS,
  async run({ thread_id }, { client, self, trust: trustNow }) {
    const trust = trustNow();
    const thread = await readThread(client, trust, self, thread_id);
    const { status, intent, sender, recipient, outcome } = thread;
    const end = outcome === undefined ? '' : `, outcome ${outcome}`;
    const text = new ToolText().say(
      `Thread ${thread_id}: ${status.state}${end}, ${intent}, from ${sender.handle} to ${recipient.handle}.`,
    );
    const overlay = overlayOf(trust, thread, self);
    sayOverlay(text, overlay, thread);
    return {
      structured: { ...structuredThread(thread, self), trust_overlay: overlay },
      text: sayThread(text, thread, self),
    };
  },
});
