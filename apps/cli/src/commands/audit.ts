import { visibleLine } from '@agentrelay/untrusted-text';
import { Ledger, type LedgerEntry, readConfigFile } from '@agentrelay/workstation';
import type { Output } from '../output';
import { shortLine } from '../short-line';
import { type CheckedRelay, home, openRelay } from '../relay';

interface Options {
  since?: string;
  from?: string;
  action?: string;
  limit: number;
}

type AuditEvent = Awaited<ReturnType<CheckedRelay['auditPage']>>['events'][number];

const PAGE = 200;
/** Everything that the ledger keeps is looked through when an action is asked for. */
const WHOLE_LEDGER = 10_000;

/** What the relay recorded on the caller's threads, and what this workstation's MCP server was asked to do. */
export async function run(out: Output, options: Options): Promise<void> {
  const { entries: local, skipped } = await ledgerEntries(options);
  const events = isToolName(options.action) ? [] : await eventsOf(openRelay(), options);
  const both = [
    ...events.map((event) => ({ at: event.created_at, line: eventLine(out, event) })),
    ...local.map((entry) => ({ at: entry.at, line: entryLine(out, entry) })),
  ].sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const damaged = skipped === 0 ? [] : [`${skipped} damaged lines of the ledger were left out.`];
  const nothing = both.length === 0 ? ['Nothing was recorded that matches.'] : [];
  out.result({ events, ledger: local, ledger_lines_skipped: skipped }, [
    ...both.map(({ line }) => line),
    ...nothing,
    ...damaged,
  ]);
}

/** Events have dotted names, tools have none. */
function isToolName(action: string | undefined): boolean {
  return action !== undefined && !action.includes('.');
}

async function eventsOf(relay: CheckedRelay, { since, from, action, limit }: Options): Promise<AuditEvent[]> {
  const events: AuditEvent[] = [];
  let cursor: string | undefined;
  do {
    const page = await relay.auditPage({ since, from, action, cursor, limit: Math.min(PAGE, limit - events.length) });
    events.push(...page.events);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && events.length < limit);
  return events;
}

async function ledgerEntries({
  since,
  from,
  action,
  limit,
}: Options): Promise<{ entries: LedgerEntry[]; skipped: number }> {
  if (from !== undefined && from !== (await ownHandle())) return { entries: [], skipped: 0 };
  const page = await Ledger.open(home()).read({
    ...(since !== undefined && { since }),
    limit: action === undefined ? limit : WHOLE_LEDGER,
  });
  const entries = action === undefined ? page.entries : page.entries.filter(({ tool }) => tool === action);
  return { entries: entries.slice(-limit), skipped: page.skipped };
}

/** Whose ledger it is: the owner of the key that is used, which need not be the one of config.json. */
async function ownHandle(): Promise<string | undefined> {
  if (process.env['AGENTRELAY_API_KEY']) return (await openRelay().whoAmI()).handle;
  return readConfigFile(home())?.agent_handle;
}

function eventLine(out: Output, { created_at, type, actor, thread_id, agent }: AuditEvent): string {
  const about = thread_id ?? agent ?? '';
  return `${out.paint('dim', created_at)}  relay  ${shortLine(`${type}  ${actor}  ${about}`)}`;
}

function entryLine(out: Output, { at, tool, result, thread_id = '', arguments_digest }: LedgerEntry): string {
  return `${out.paint('dim', visibleLine(at))}  local  ${visibleLine(`${tool}  ${result}  ${thread_id}  ${arguments_digest}`)}`;
}
