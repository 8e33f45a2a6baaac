import { reasonToWithhold, TrustFile } from '@agentrelay/workstation';
import { CommandFailed } from '../command-failed';
import type { Output } from '../output';
import { type CheckedRelay, home, openRelay } from '../relay';
import { shortLine } from '../short-line';
import { threadHead } from '../thread-parts';
import { counterpartOf } from '../trusting';

interface Options {
  cursor?: string;
  timeout: number;
}

type Event = Awaited<ReturnType<CheckedRelay['events']>>['events'][number];

/** The relay answers a poll after less than this. */
const POLL_MS = 45_000;
const PAGE = 50;

/**
 * Waits until a teammate does something on one of this agent's threads, and says what. What trust.yaml withholds is not
 * waited for. @throws CommandFailed when nothing came in time
 */
export async function run(out: Output, { cursor = 'now', timeout }: Options): Promise<void> {
  const until = Date.now() + timeout * 1_000;
  const relay = openRelay();
  const trust = TrustFile.load(home());
  const self = trust.mayWithhold() ? (await relay.whoAmI()).handle : undefined;
  let from = cursor;
  do {
    const waitMs = Math.max(0, Math.min(POLL_MS, until - Date.now()));
    const page = await relay.events({ cursor: from, wait_ms: waitMs, limit: PAGE }, waitMs);
    from = page.cursor;
    const events = self === undefined ? page.events : await shownOf(relay, trust, self, page.events);
    if (events.length > 0) return tell(out, events, from);
  } while (Date.now() < until);
  throw new CommandFailed(
    `Nothing arrived within ${timeout} s.`,
    `Go on from here: agentrelay wait --cursor ${from}`,
    'nothing_arrived',
  );
}

async function shownOf(relay: CheckedRelay, trust: TrustFile, self: string, events: Event[]): Promise<Event[]> {
  const threads = [...new Set(events.map(({ thread_id }) => thread_id).filter((id) => id !== undefined))];
  const withheld = new Set<string>();
  for (const id of threads) {
    const { handle, received } = counterpartOf(await threadHead(relay, id), self);
    if (reasonToWithhold(trust.trustOf(handle), received) !== undefined) withheld.add(id);
  }
  return events.filter(({ thread_id }) => thread_id === undefined || !withheld.has(thread_id));
}

function tell(out: Output, events: Event[], cursor: string): void {
  const threads = [...new Set(events.map(({ thread_id }) => thread_id).filter((id) => id !== undefined))];
  out.result(
    {
      events: events.map(({ type, actor, thread_id, created_at }) => ({ type, actor, thread_id, created_at })),
      cursor,
    },
    [
      ...events.map(
        ({ created_at, type, actor, thread_id = '' }) =>
          `${out.paint('dim', created_at)}  ${type}  ${shortLine(actor)}  ${thread_id}`,
      ),
      ...threads.map((id) => `Read it: agentrelay show ${id}`),
      `Wait for more: agentrelay wait --cursor ${cursor}`,
    ],
  );
}
