import { isDeepStrictEqual } from 'node:util';

type Table = Record<string, unknown>;

/** The one variable that install writes. All others in an entry are the user's. */
const OWN_VARIABLE = 'AGENTRELAY_HOME';

/** Whether the entry in a client's file says what is wanted; the user may have added to it. */
export function isEntry(present: unknown, wanted: unknown): boolean {
  return holds(present, wanted) && variableOf(present) === variableOf(wanted);
}

/** What is wanted, with what the user added to the entry that is there now. */
export function withAdditions(wanted: Table, present: unknown): Table {
  if (!isTable(present)) return wanted;
  const ours = Object.entries(wanted).map(([name, value]): [string, unknown] => [
    name,
    isTable(value) ? withAdditions(value, present[name]) : value,
  ]);
  const additions = Object.entries(present).filter(([name]) => !Object.hasOwn(wanted, name) && name !== OWN_VARIABLE);
  const theirs = additions.map(([name, value]): [string, unknown] => [
    name,
    isTable(value) ? withAdditions({}, value) : value,
  ]);
  return Object.fromEntries([...ours, ...theirs]);
}

/** Whether `present` says what `wanted` says; it may say more. */
export function holds(present: unknown, wanted: unknown): boolean {
  if (!isTable(wanted)) return isDeepStrictEqual(present, wanted);
  return isTable(present) && Object.entries(wanted).every(([name, value]) => holds(present[name], value));
}

/** `present` without the members that `retired` names; tables of which nothing is left go too. */
export function without(present: Table, retired: Table): Table {
  const kept = Object.entries(present).flatMap(([name, value]): [string, unknown][] => {
    const gone = Object.hasOwn(retired, name) ? retired[name] : undefined;
    if (gone === undefined) return [[name, value]];
    if (!isTable(value) || !isTable(gone)) return [];
    const rest = without(value, gone);
    return Object.keys(rest).length === 0 ? [] : [[name, rest]];
  });
  return Object.fromEntries(kept);
}

function variableOf(entry: unknown): unknown {
  const env = isTable(entry) ? entry['env'] : undefined;
  return isTable(env) ? env[OWN_VARIABLE] : undefined;
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
