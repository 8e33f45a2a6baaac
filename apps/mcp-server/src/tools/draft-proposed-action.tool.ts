import { LIMITS } from '@agentrelay/protocol';
import { z } from 'zod';
import { ToolText } from '../provenance';
import { resultText, text, threadId } from './schemas';
import { ADDS, defineTool } from './tool';

export const draftProposedAction = defineTool({
  name: 'draft_proposed_action',
  title: 'Draft a proposed change',
  description:
    'Records on the thread which change you would make for an accepted handoff with intent propose_action, so that both sides can look at it. ' +
    'It applies nothing: files change only after your user has approved. Not for the finished work: use complete_handoff.',
  input: z.object({
    thread_id: threadId,
    drafted_diff: text(LIMITS.draftedDiff, 0).describe('Unified diff of what you would change.'),
    drafted_files: z
      .array(text(LIMITS.proposedActionText))
      .max(LIMITS.targetFiles)
      .describe('Paths that the diff touches.'),
    rationale: text(LIMITS.proposedActionText).describe('Why this change, in this form.'),
    alternatives_considered: text(LIMITS.proposedActionText).optional().describe('What you decided against, and why.'),
  }),
  output: z.object({
    text: resultText,
    thread_id: z.string(),
    message_id: z.string(),
    sequence_no: z.number(),
    created_at: z.string(),
  }),
  annotations: ADDS,
  async run({ thread_id, alternatives_considered, ...draft }, { client, idempotencyKey }) {
    const params = {
      task_id: thread_id,
      ...draft,
      ...(alternatives_considered !== undefined && { alternatives_considered }),
    };
    const { message_id, sequence_no, created_at } = await client.write('tasks/draft', params, idempotencyKey);
    return {
      structured: { thread_id, message_id, sequence_no, created_at },
      text: new ToolText()
        .say(`Stored as draft ${sequence_no} of thread ${thread_id}; nothing was applied.`)
        .say('Show it to your user, and change files only after they approve.'),
    };
  },
});
