import type { WireThread } from '@agentrelay/protocol';
import { RelayRefusal } from '@agentrelay/relay-client';
import { z } from 'zod';
import { sayThread, structuredThread, threadSchema, ToolText } from '../provenance';
import { overlayOf, readThread, refuseWithheld, sayOverlay, trustOverlaySchema } from '../trust';
import { threadId } from './schemas';
import { ADDS, defineTool } from './tool';

export const acceptHandoff = defineTool({
  name: 'accept_handoff',
  title: 'Accept a handoff',
  description:
    'Takes a pending handoff on and returns its whole thread. Use it when your user wants to work on it; afterwards the sender can no longer withdraw it. ' +
    'To look without taking it on, use view_thread. If another session accepted it first, you still get the thread and are told which session has it. ' +
    'For intent propose_action your user must approve before any file is modified.',
  input: z.strictObject({ thread_id: threadId }),
  output: threadSchema.extend({
    accepted: z.boolean().describe('Whether this session holds the handoff now.'),
    trust_overlay: trustOverlaySchema,
  }),
  annotations: { ...ADDS, idempotentHint: true },
  async run({ thread_id }, call) {
    const { client, self, session } = call;
    const trust = call.trust();
    await refuseWithheld(client, trust, self, thread_id);
    const text = new ToolText();
    let accepted = true;
    let thread: WireThread | undefined;
    try {
      const update = {
        task_id: thread_id,
        transition: 'accept',
        session_id: session.sessionId,
        include_thread: true,
      } as const;
      ({ thread } = await client.write('tasks/update', update, call.idempotencyKey));
    } catch (refusal) {
      if (!(refusal instanceof RelayRefusal) || refusal.symbol !== 'state_changed') throw refusal;
      accepted = false;
      text.caution(`Not accepted by this session: ${refusal.message}`);
      const holder = refusal.details['accepted_session_id'];
      if (typeof holder === 'string')
        text.caution(`The session that has it: ${holder}. Do not work on it here as well.`);
    }
    thread ??= await readThread(client, trust, self, thread_id);
    if (accepted) text.say(`Accepted thread ${thread_id} from ${thread.sender.handle} (${thread.intent}).`);
    const overlay = overlayOf(trust, thread, self);
    sayOverlay(text, overlay, thread);
    sayThread(text, thread, self);
    if (accepted)
      text.say('Reply with send_message; finish with complete_handoff, outcome "failed" if it cannot be done.');
    return { structured: { ...structuredThread(thread, self), accepted, trust_overlay: overlay }, text };
  },
});
