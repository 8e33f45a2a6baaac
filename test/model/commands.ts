import type { HandoffState, Intent, ListRole, Outcome } from '@agentrelay/protocol';
import fc from 'fast-check';
import { HANDLES, type State } from './state';

/** Who acts on a handoff: one of its sides, or somebody who has no part in it. */
export type Part = 'sender' | 'recipient' | 'stranger';

/** In the place of a handoff: one that does not exist. */
export const UNKNOWN = 99;

interface Keyed {
  key?: string | undefined;
}
interface OnHandoff {
  /** 0 is the newest handoff, 1 the one before, and so on around; UNKNOWN an id that nobody gave out. */
  on: number;
  as: Part;
}
interface Expecting {
  /** Whether an expected_version comes along, and whether it is the right one. */
  expect?: 'right' | 'wrong' | undefined;
}

/** A command of a history, as plain data that names handoffs by their place; agents are numbers, `4` is nobody. */
export type Command =
  | ({ do: 'send'; by: number; to: number; intent: Intent; body: string; artifacts: number } & Keyed)
  | ({ do: 'accept'; session?: string | undefined; includeThread: boolean } & OnHandoff & Keyed & Expecting)
  | ({ do: 'complete'; body: string; artifacts: number; outcome?: Outcome | undefined } & OnHandoff & Keyed & Expecting)
  | ({ do: 'cancel'; byUpdate: boolean } & OnHandoff & Keyed & Expecting)
  | ({ do: 'append'; body: string; artifacts: number } & OnHandoff & Keyed)
  | ({ do: 'draft'; body: string } & OnHandoff & Keyed)
  | ({
      do: 'get';
      markRead?: boolean | undefined;
      historyLength?: number | undefined;
      after?: number | undefined;
    } & OnHandoff)
  | {
      do: 'list';
      by: number;
      role: ListRole;
      status: HandoffState[];
      intent?: Intent | undefined;
      counterpart?: number | undefined;
      limit: number;
      peek: boolean;
    }
  | { do: 'block' | 'unblock'; by: number; whom: number }
  | { do: 'events'; by: number; limit: number }
  | { do: 'repeat'; back: number; changed: 'nothing' | 'body' | 'artifacts' | 'handoff' };

/** A command with its references resolved: `on` is the number of a handoff, -1 an unknown one. */
export type Call = Resolved<Exclude<Command, { do: 'repeat' }>>;
type Resolved<Any> = Any extends OnHandoff
  ? Omit<Any, 'as' | 'expect'> & { by: number; expectedVersion?: number | undefined }
  : Any;

/** What a command asks for at this point of a history. */
export function resolve(command: Command, state: State, earlier: readonly Call[]): Call {
  if (command.do === 'repeat') return repeated(command, state, earlier);
  if (!('on' in command)) return command;
  const count = state.handoffs.length;
  const on = command.on === UNKNOWN || count === 0 ? -1 : count - 1 - (command.on % count);
  const handoff = state.handoffs[on];
  const { as, ...rest } = command;
  const expect = 'expect' in command ? command.expect : undefined;
  if (handoff === undefined) return { ...rest, on: -1, by: 0 };
  const strangers = HANDLES.map((_, i) => i).filter((i) => i !== handoff.sender && i !== handoff.recipient);
  const by = { sender: handoff.sender, recipient: handoff.recipient, stranger: strangers[0]! }[as];
  const expectedVersion = expect === undefined ? undefined : handoff.version + (expect === 'right' ? 0 : 1);
  return { ...rest, on, by, expectedVersion };
}

/** An earlier call under a key once more, or with one argument changed. */
function repeated({ back, changed }: Extract<Command, { do: 'repeat' }>, state: State, earlier: readonly Call[]): Call {
  const keyed = earlier.filter((call) => 'key' in call && call.key !== undefined);
  const again = keyed[keyed.length - 1 - (back % Math.max(keyed.length, 1))];
  if (again === undefined) return { do: 'events', by: 0, limit: 5 };
  if (changed === 'body' && 'body' in again) return { ...again, body: `${again.body}!` };
  if (changed === 'artifacts' && 'artifacts' in again) return { ...again, artifacts: (again.artifacts + 1) % 3 };
  if (changed === 'handoff' && 'on' in again) return { ...again, on: state.handoffs.length - 1 };
  return again;
}

const name = (agent: number | undefined): string =>
  agent === undefined ? '' : (HANDLES[agent]?.split('@')[0] ?? 'nobody');

/** One line for people: `ben accept #2 (session s1, key k2)`. */
export function describeCall(call: Call): string {
  const { do: what, by, ...rest } = call;
  return `${name(by)} ${what}${facts(rest)}`;
}

/** `recipient accept newest-1 (session s1)` */
function describeCommand(command: Command): string {
  if (command.do === 'repeat') return `repeat keyed call ${command.back} back, ${command.changed} changed`;
  if (!('on' in command)) return describeCall(command);
  const { do: what, on, as, ...rest } = command;
  return `${as} ${what} ${on === UNKNOWN ? 'unknown' : `newest${on === 0 ? '' : `-${on}`}`}${facts(rest)}`;
}

/** The command with a line for people, where fast-check prints it. */
export function described<Any extends Command>(command: Any): Any {
  return Object.defineProperty(command, fc.toStringMethod, { value: () => describeCommand(command) });
}

function facts(members: object): string {
  const { on, to, whom, counterpart, ...others } = members as Record<string, unknown>;
  const handoff = typeof on === 'number' ? ` #${on === -1 ? 'unknown' : on}` : '';
  const agents = [to, whom].filter((agent) => typeof agent === 'number').map((agent) => ` ${name(agent)}`);
  const told = Object.entries<unknown>({
    ...others,
    ...(typeof counterpart === 'number' ? { with: name(counterpart) } : {}),
  })
    .filter(([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0))
    .map(([key, value]) => `${key} ${String(value)}`);
  return `${handoff}${agents.join('')}${told.length === 0 ? '' : ` (${told.join(', ')})`}`;
}
