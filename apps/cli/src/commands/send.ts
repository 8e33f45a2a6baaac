import { type Intent, LIMITS, type WireProposedAction } from '@agentrelay/protocol';
import type { EvidenceOptions } from '../evidence-options';
import { artifactsOf } from '../git/evidence';
import type { Output } from '../output';
import { openRelay } from '../relay';
import { write } from '../writing';
import { writtenText } from '../written-text';
import { wrongUsage } from '../wrong-usage';

interface Options extends EvidenceOptions {
  question?: string;
  propose?: string;
  rationale?: string;
  target?: string[];
  idempotencyKey?: string;
}

/** Hands work to a teammate: tells, asks or proposes, with evidence from the repository that it is run in. */
export async function run(out: Output, recipient: string, given: string, options: Options): Promise<void> {
  const { question, idempotencyKey } = options;
  const proposed_action = proposalOf(options);
  if (question !== undefined && proposed_action !== undefined)
    wrongUsage('agentrelay.send', 'give either --question or --propose');
  const summary = await writtenText(given, 'summary', LIMITS.summary);
  const params = {
    task_id: null,
    recipient,
    intent: intentOf(question, proposed_action),
    message: { role: 'user' as const, parts: [{ type: 'text' as const, text: summary }] },
    artifacts: await artifactsOf(options),
    ...(proposed_action && { proposed_action }),
    metadata: { ...(question !== undefined && { question }) },
  };
  const relay = openRelay();
  const { thread_id, status, created_at } = await write(['send', params], idempotencyKey, (key) =>
    relay.send(params, key),
  );
  const sent = { thread_id, status: status.state, recipient, created_at, artifacts: params.artifacts.length };
  out.result(sent, [
    `Stored for ${recipient} as thread ${thread_id}, with ${params.artifacts.length} pieces of evidence.`,
    `See it: agentrelay show ${thread_id}`,
    `Withdraw it while nobody has accepted it: agentrelay cancel ${thread_id}`,
  ]);
}

function intentOf(question: string | undefined, action: WireProposedAction | undefined): Intent {
  if (action !== undefined) return 'propose_action';
  return question === undefined ? 'inform' : 'ask_question';
}

/** @throws CommanderError when only part of a proposal is given */
function proposalOf({ propose, rationale, target }: Options): WireProposedAction | undefined {
  if (propose === undefined && rationale === undefined && target === undefined) return undefined;
  if (propose === undefined || rationale === undefined)
    return wrongUsage('agentrelay.send', 'a proposal needs both --propose and --rationale');
  return { description: propose, rationale, target_files: target ?? [] };
}
