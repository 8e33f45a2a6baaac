import { HANDOFF_STATES, INTENTS, jsonBytes, LIMITS, type WireSent } from '@agentrelay/protocol';
import { z } from 'zod';
import { knownWord, ToolText } from '../provenance';
import { artifacts, handle, jsonObject, proposedAction, resultText, text } from './schemas';
import { ADDS, defineTool } from './tool';

/** The question travels in the metadata, beside the idempotency key. */
const QUESTION_BYTES = LIMITS.metadataBytes - 100;

const input = z
  .object({
    to: handle.describe('Handle of the teammate, like frank@acme. list_teammates shows them.'),
    intent: z
      .enum(INTENTS)
      .describe(
        'inform: no answer expected. ask_question: a reply is. propose_action: they should do something concrete.',
      ),
    summary: text(LIMITS.summary).describe('One or two paragraphs: what you did, what matters, what is open.'),
    artifacts: artifacts.optional().describe('Diffs, file references, test commands, contracts and links they need.'),
    question: text(LIMITS.messageBody).optional().describe('The question, with intent ask_question.'),
    proposed_action: proposedAction.optional().describe('Required with intent propose_action, and only then.'),
    metadata: jsonObject(LIMITS.metadataBytes).optional().describe('Free-form tags, such as a ticket id.'),
  })
  .superRefine(({ question, metadata }, context) => {
    if (question === undefined || jsonBytes(withQuestion(metadata, question)) <= QUESTION_BYTES) return;
    const others = metadata === undefined ? '' : ' together with metadata';
    const message = `question must be at most ${QUESTION_BYTES} bytes of JSON${others}; put the details into summary or artifacts`;
    context.addIssue({ code: 'custom', path: ['question'], message });
  })
  .superRefine(({ intent, proposed_action }, context) => {
    if ((intent === 'propose_action') === (proposed_action !== undefined)) return;
    const message =
      intent === 'propose_action'
        ? 'proposed_action is required when intent is propose_action'
        : 'proposed_action must be left out unless intent is propose_action';
    context.addIssue({ code: 'custom', path: ['proposed_action'], message });
  });

export const handoffToTeammate = defineTool({
  name: 'handoff_to_teammate',
  title: 'Hand work to a teammate',
  description:
    'Hands structured work to a teammate’s agent: opens a new thread with a summary, typed artifacts and an intent. ' +
    'Use it when your user wants a teammate to know, answer or do something. Not for a thread that exists: use send_message. ' +
    'The teammate has not seen this conversation, so put everything they need into it, and no secrets. ' +
    'Stored at once; the teammate reads it when their agent next checks its inbox.',
  input,
  output: z.object({
    text: resultText,
    thread_id: z.string(),
    status: z.string(),
    recipient: z.string(),
    created_at: z.string(),
    inbox_url: z.string(),
  }),
  annotations: ADDS,
  async run({ to, question, proposed_action, summary, ...rest }, { client, idempotencyKey }) {
    const sent = (await client.write(
      'message/send',
      {
        task_id: null,
        recipient: to,
        intent: rest.intent,
        message: { role: 'user', parts: [{ type: 'text', text: summary }] },
        artifacts: rest.artifacts ?? [],
        ...(proposed_action && { proposed_action: withoutUndefined(proposed_action) }),
        metadata: withQuestion(rest.metadata, question),
      },
      idempotencyKey,
    )) as WireSent;
    const { thread_id, recipient, created_at } = sent;
    const status = knownWord(sent.status.state, HANDOFF_STATES);
    const inbox_url = sent.inbox_url || `/inbox/${thread_id}`;
    return {
      structured: { thread_id, status, recipient, created_at, inbox_url },
      text: new ToolText()
        .say(`Stored for ${recipient} as thread ${thread_id} (${status}). They have not read it yet.`)
        .say(`Link for people: ${inbox_url}`)
        .say('check_inbox shows their answer under "answers"; cancel_handoff withdraws it while it is pending.'),
    };
  },
});

function withQuestion(metadata: Record<string, unknown> = {}, question: string | undefined): Record<string, unknown> {
  return { ...metadata, ...(question !== undefined && { question }) };
}

function withoutUndefined<Value extends { suggested_diff?: string | undefined }>(
  value: Value,
): Omit<Value, 'suggested_diff'> & { suggested_diff?: string } {
  const { suggested_diff, ...rest } = value;
  return suggested_diff === undefined ? rest : { ...rest, suggested_diff };
}
