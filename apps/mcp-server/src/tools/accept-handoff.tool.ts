import { INTENTS, type WireThread } from '@agentrelay/protocol';
import { RelayRefusal } from '@agentrelay/relay-client';
import { z } from 'zod';
import { knownWord, ToolText } from '../provenance';
import { readThread } from '../trust';
import { threadId } from './schemas';
import { endThreadAnswer, sayThreadPart, threadSchema } from './thread-result';
import { ADDS, defineTool, type ToolCall } from './tool';

/** What accepting came to: the thread as it is then, when it was asked for, or the refusal because somebody else was first. */
type Acceptance = { thread: WireThread | undefined } | { refusal: RelayRefusal };

export const acceptHandoff = defineTool({
  name: 'accept_handoff',
  title: 'Accept a handoff',
  description:
    'Takes a pending handoff on and returns its thread. Use it when your user wants to work on it; afterwards the sender can no longer withdraw it. ' +
    'To look without taking it on, use view_thread. If another session accepted it first, you still get the thread and are told which session has it. ' +
    'For intent propose_action your user must approve before any file is modified.',
  input: z.object({ thread_id: threadId }),
  output: threadSchema.extend({ accepted: z.boolean().describe('Whether this session holds the handoff now.') }),
  annotations: { ...ADDS, idempotentHint: true },
  async run({ thread_id }, call) {
    // Looks first: what is withheld is not accepted, and what will not be shown whole is not marked as read.
    const before = await readThread(call.client, call.trust(), call.self, thread_id);
    const isShort = sayThreadPart(new ToolText(), before, call).shown.next === undefined;
    const acceptance = await accept(call, thread_id, isShort);
    const accepted = 'thread' in acceptance;
    const whole = accepted ? acceptance.thread : undefined;
    const thread = whole ?? (await readThread(call.client, call.trust(), call.self, thread_id));
    const text = new ToolText();
    if (accepted)
      text.say(`Accepted thread ${thread_id} from ${thread.sender.handle} (${knownWord(thread.intent, INTENTS)}).`);
    else sayHolder(text, acceptance.refusal);
    const answer = sayThreadPart(text, thread, call);
    if (accepted)
      text.say('Reply with send_message; finish with complete_handoff, outcome "failed" if it cannot be done.');
    return {
      structured: { ...(await endThreadAnswer(text, answer, call, { isMarked: whole !== undefined })), accepted },
      text,
    };
  },
});

async function accept(call: ToolCall, threadId: string, includeThread: boolean): Promise<Acceptance> {
  const update = {
    task_id: threadId,
    transition: 'accept',
    session_id: call.session.sessionId,
    include_thread: includeThread,
  } as const;
  try {
    const { thread } = await call.client.write('tasks/update', update, call.idempotencyKey);
    return { thread };
  } catch (refusal) {
    if (refusal instanceof RelayRefusal && refusal.symbol === 'state_changed') return { refusal };
    throw refusal;
  }
}

function sayHolder(text: ToolText, refusal: RelayRefusal): void {
  text.say('Not accepted by this session. If another session has it, do not work on it here as well. The relay says:');
  const holder = refusal.details['accepted_session_id'];
  text.untrusted('the relay', [
    { label: 'why', content: refusal.message, width: 500 },
    ...(typeof holder === 'string' ? [{ label: 'the session that has it', content: holder, width: 260 }] : []),
  ]);
}
