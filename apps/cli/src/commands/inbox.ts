import { visibleLine } from '@agentrelay/presentation';
import type { HandoffState, ListRole, WireListItem } from '@agentrelay/protocol';
import type { Output } from '../output';
import { openRelay } from '../relay';

interface Options {
  role?: ListRole;
  status?: HandoffState[];
  limit: number;
}

/** Lists handoffs, newest activity first. */
export async function run(out: Output, options: Options): Promise<void> {
  const { role = 'recipient', status = ['pending', 'accepted'], limit } = options;
  const page = await openRelay().read('tasks/list', { filter: { role, status }, page: { limit } });
  if (page.items.length === 0) {
    out.result(page, [`No handoffs (${status.join(', ')}) ${role === 'sender' ? 'from' : 'for'} you.`]);
    return;
  }
  const more = page.next_cursor === null ? [] : [`There are more; ask for them with --limit.`];
  const [first] = page.items;
  out.result(page, [
    ...page.items.flatMap((item) => itemLines(out, item)),
    ...more,
    `Read one: agentrelay show ${first?.thread_id ?? '<id>'}`,
  ]);
}

function itemLines(out: Output, item: WireListItem): string[] {
  const { thread_id, status, intent, sender, recipient, unread_messages, updated_at, summary_preview } = item;
  const unread = unread_messages > 0 ? `, ${out.paint('bold', `${unread_messages} unread`)}` : '';
  return [
    `${thread_id}  ${out.paint('yellow', status.state)}  ${intent}  ${sender.handle} → ${recipient.handle}${unread}`,
    `  ${out.paint('dim', updated_at)}  ${visibleLine(summary_preview)}`,
  ];
}
