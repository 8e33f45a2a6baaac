import { HANDOFF_STATES, INTENTS, OUTCOMES } from '@agentrelay/protocol';
import { z } from 'zod';
import { knownWord, readPlace, ToolText } from '../provenance';
import { readThread } from '../trust';
import { threadId } from './schemas';
import { endThreadAnswer, sayThreadPart, threadSchema } from './thread-result';
import { defineTool, READS } from './tool';

export const viewThread = defineTool({
  name: 'view_thread',
  title: 'Read a thread',
  description:
    'Reads a thread that your user takes part in, in any state, and marks it as read once it has been shown to its end. ' +
    'A long thread comes in parts: each says where the next one begins. ' +
    'Use it to see replies or a result, or to look at a handoff before accepting it. It changes nothing else.',
  input: z.object({
    thread_id: threadId,
    from: z.string().min(1).max(60).optional().describe('next_from of the part before. Default: the start.'),
  }),
  output: threadSchema,
  annotations: READS,
  async run({ thread_id, from }, call) {
    const place = readPlace(from);
    const thread = await readThread(call.client, call.trust(), call.self, thread_id, place.message);
    const { status, intent, sender, recipient, outcome } = thread;
    const state = knownWord(status.state, HANDOFF_STATES);
    const end = outcome === undefined ? '' : `, outcome ${knownWord(outcome, OUTCOMES)}`;
    const text = new ToolText().say(
      `Thread ${thread.thread_id}: ${state}${end}, ${knownWord(intent, INTENTS)}, from ${sender.handle} to ${recipient.handle}.`,
    );
    const answer = sayThreadPart(text, thread, call, place);
    return { structured: await endThreadAnswer(text, answer, call, { place }), text };
  },
});
