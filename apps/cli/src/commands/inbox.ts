import { type HandoffState, LIMITS, type ListRole } from '@agentrelay/protocol';
import { reasonToWithhold, TrustFile } from '@agentrelay/workstation';
import type { Output } from '../output';
import { type CheckedRelay, home, openRelay } from '../relay';
import { shortLine } from '../short-line';
import { counterpartOf } from '../trusting';

interface Options {
  role?: ListRole;
  status?: HandoffState[];
  limit?: number;
}

type Page = Awaited<ReturnType<CheckedRelay['list']>>;
type Item = Page['items'][number];
type Filter = NonNullable<Parameters<CheckedRelay['list']>[0]['filter']>;

/** So often it is asked what moved; a list that still moves by more than a page meanwhile has no last state. */
const MOST_ROUNDS = 10;
/** More than anybody reads: whoever has so many asks for less. */
const MOST = 10_000;

/** Lists handoffs, newest activity first, to the last one. */
export async function run(out: Output, options: Options): Promise<void> {
  const { role = 'recipient', status = ['pending', 'accepted'], limit = MOST } = options;
  const relay = openRelay();
  const { items, ...page } = await walk(relay, { role, status }, limit);
  const whole = page.next_cursor === null ? await withMoved(relay, items, { role, status }, page.as_of) : items;
  if (whole.length === 0) {
    out.result({ items, ...page }, [`No handoffs (${status.join(', ')}) ${role === 'sender' ? 'from' : 'for'} you.`]);
    return;
  }
  const reasons = await withheldReasons(relay, whole);
  const more = page.next_cursor === null ? [] : [`There are more; ask for them with --limit.`];
  const [first] = whole;
  const shown = whole.map((item) =>
    reasons.has(item.thread_id) ? { ...item, summary_preview: '', withheld: true } : item,
  );
  out.result({ items: shown, ...page }, [
    ...shown.flatMap((item) => itemLines(out, item, reasons.get(item.thread_id))),
    ...more,
    `Read one: agentrelay show ${first?.thread_id ?? '<id>'}`,
  ]);
}

/** The first page with what is on the pages after it, up to `limit`. */
async function walk(relay: CheckedRelay, filter: Filter, limit: number): Promise<Page> {
  const whole = await relay.list({ filter, page: { limit: Math.min(limit, LIMITS.listPage) } });
  const items = new Map(whole.items.map((item) => [item.thread_id, item]));
  let cursor = whole.next_cursor;
  while (cursor !== null && items.size < limit) {
    const page = await relay.list({ filter, page: { limit: Math.min(limit - items.size, LIMITS.listPage), cursor } });
    const before = items.size;
    for (const item of page.items) items.set(item.thread_id, item);
    // Pages without anything new could go on for ever.
    cursor = items.size === before ? null : page.next_cursor;
  }
  return { ...whole, items: [...items.values()], next_cursor: cursor };
}

/** The list with what moved while it was walked, which may have left a page that was still to be read. */
async function withMoved(
  relay: CheckedRelay,
  listed: Item[],
  filter: Filter,
  asOf: string | undefined,
): Promise<Item[]> {
  if (listed.length <= LIMITS.listPage || asOf === undefined) return listed;
  const { role, status = [] } = filter;
  const items = new Map(listed.map((item) => [item.thread_id, item]));
  let since: string | undefined = asOf;
  for (let round = 0; round < MOST_ROUNDS && since !== undefined; round++) {
    const moved = await walk(relay, { ...(role && { role }), updated_since: since }, MOST);
    for (const item of moved.items) {
      if (status.some((wanted) => wanted === item.status.state)) items.set(item.thread_id, item);
      else items.delete(item.thread_id);
    }
    // What fits on one page cannot have moved from one page to another while it was read.
    since = moved.items.length <= LIMITS.listPage ? undefined : moved.as_of;
  }
  return [...items.values()].sort((one, other) => Date.parse(other.updated_at) - Date.parse(one.updated_at));
}

/** Why trust.yaml keeps what teammates wrote from being shown, by thread. */
async function withheldReasons(relay: CheckedRelay, items: readonly Item[]): Promise<Map<string, string>> {
  const trust = TrustFile.load(home());
  if (!trust.mayWithhold()) return new Map();
  const { handle: self } = await relay.whoAmI();
  const reasons = items.map((item): [string, string | undefined] => {
    const { handle, received } = counterpartOf(item, self);
    return [item.thread_id, reasonToWithhold(trust.trustOf(handle), received)];
  });
  return new Map(reasons.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function itemLines(out: Output, item: Item, withheld: string | undefined): string[] {
  const { thread_id, status, intent, sender, recipient, unread_messages, updated_at, summary_preview } = item;
  const unread = unread_messages > 0 ? `, ${out.paint('bold', `${unread_messages} unread`)}` : '';
  return [
    `${thread_id}  ${out.paint('yellow', status.state)}  ${intent}  ${sender.handle} → ${recipient.handle}${unread}`,
    `  ${out.paint('dim', updated_at)}  ${withheld === undefined ? shortLine(summary_preview, LIMITS.summaryPreview) : `withheld: ${withheld}`}`,
  ];
}
