import { HANDOFF_STATES, LIMITS, OUTCOMES } from '@agentrelay/protocol';
import { z } from 'zod';
import { knownWord, ToolText } from '../provenance';
import { artifacts, resultText, text, threadId } from './schemas';
import { defineTool, ENDS } from './tool';

export const completeHandoff = defineTool({
  name: 'complete_handoff',
  title: 'Complete a handoff',
  description:
    'Closes a handoff that you accepted, with a result for the sender. Afterwards the thread is read-only for good. ' +
    'Use it when the work is done and your user agrees, or with outcome "failed" when it cannot be done, saying why. ' +
    'Not for asking back: use send_message.',
  input: z.object({
    thread_id: threadId,
    result_summary: text(LIMITS.resultSummary).describe('What was done, or why it was not.'),
    artifacts: artifacts.optional().describe('What came out of it: diffs, references, links.'),
    outcome: z.enum(OUTCOMES).optional().describe('answered (default) or failed.'),
  }),
  output: z.object({
    text: resultText,
    thread_id: z.string(),
    status: z.string(),
    completed_at: z.string().nullable(),
    outcome: z.string(),
  }),
  annotations: ENDS,
  async run({ thread_id, result_summary, artifacts: attached, outcome }, { client, session, idempotencyKey }) {
    const update = {
      task_id: thread_id,
      transition: 'complete',
      session_id: session.sessionId,
      result_summary,
      artifacts: attached ?? [],
      ...(outcome && { outcome }),
    } as const;
    const done = await client.write('tasks/update', update, idempotencyKey);
    const { completed_at } = done;
    const ended = knownWord(done.outcome ?? 'answered', OUTCOMES);
    const state = knownWord(done.status.state, HANDOFF_STATES);
    return {
      structured: { thread_id, status: state, completed_at, outcome: ended },
      text: new ToolText().say(`Thread ${thread_id} is ${state} (${ended}). The sender sees the result.`),
    };
  },
});
