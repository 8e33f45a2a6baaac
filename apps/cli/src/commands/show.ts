import { messageSections, type Section, visible, visibleLine } from '@agentrelay/presentation';
import type { WireThread } from '@agentrelay/protocol';
import type { Output } from '../output';
import { openRelay } from '../relay';

/**
 * Shows a thread to a person. What participants wrote is marked line by line and cannot move the cursor or change
 * colours. The agent's read position stays: it has not seen this.
 */
export async function run(out: Output, id: string): Promise<void> {
  const thread = await openRelay().read('tasks/get', { task_id: id, mark_read: false });
  out.result(thread, [
    ...heading(out, thread),
    ...thread.messages.flatMap((message) => {
      const title = out.paint('bold', `── ${visibleLine(message.from)}`);
      return [title, ...messageSections(message, thread).flatMap((section) => sectionLines(out, section))];
    }),
    nextStep(thread),
  ]);
}

function heading(
  out: Output,
  { thread_id, intent, status, sender, recipient, outcome, created_at }: WireThread,
): string[] {
  const ended = outcome === undefined ? '' : ` (${outcome})`;
  return [
    `${out.paint('bold', thread_id)}  ${out.paint('yellow', status.state)}${ended}  ${intent}`,
    `from ${sender.handle} (${visibleLine(sender.name)}) to ${recipient.handle} (${visibleLine(recipient.name)}), ${created_at}`,
  ];
}

function sectionLines(out: Output, { label, content }: Section): string[] {
  const lines = visible(content).split('\n');
  return [out.paint('dim', `${visibleLine(label)}:`), ...lines.map((line) => `│ ${line}`)];
}

function nextStep({ status: { state } }: WireThread): string {
  if (state === 'pending') return 'To take it on, ask your coding agent to check its inbox.';
  if (state === 'accepted') return 'To reply or complete it, ask your coding agent.';
  return 'This thread has ended; it can only be read.';
}
