import { preview } from '@agentrelay/protocol';
import { distance } from 'fastest-levenshtein';
import { inputSchema, type Tool } from '../tools';
import { asMeant } from './lenient';

/** What a call brings: its input, or why it is none; and what the caller should know of what it sent. */
export interface ReadArguments {
  input: Record<string, unknown> | undefined;
  faults: string[];
  notices: string[];
}

const MOST_FAULTS = 10;
const MOST_NOTICES = 5;
const MOST_EDITS = 2;
/** Characters of a name of the caller's that are repeated. */
const SHOWN_NAME = 40;

/**
 * Reads the arguments of a call. Members that the tool does not have are ignored, because clients add their own; one that looks like
 * a member of the tool in another spelling is named.
 */
export function readArguments(tool: Tool, given: unknown): ReadArguments {
  const { properties = {}, required = [] } = inputSchema(tool);
  const named = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {};
  const ours = Object.entries(named).filter(
    ([name, value]) => Object.hasOwn(properties, name) && (value !== null || required.includes(name)),
  );
  const values = Object.fromEntries(ours.map(([name, value]) => [name, asMeant(value, properties[name] ?? {})]));
  const notices = Object.keys(named)
    .filter((name) => !Object.hasOwn(properties, name))
    .flatMap((name) => spellingNotice(name, Object.keys(properties), values))
    .slice(0, MOST_NOTICES);
  const read = tool.input.safeParse(values);
  if (read.success) return { input: read.data, faults: [], notices };
  const faults = read.error.issues.slice(0, MOST_FAULTS).map(({ path, message }) => {
    const place = preview(path.map(String).join('.'), SHOWN_NAME * 2);
    return place === '' ? message : `${place}: ${preview(message, 300)}`;
  });
  return { input: undefined, faults, notices };
}

function spellingNotice(name: string, names: readonly string[], given: Record<string, unknown>): string[] {
  if (name.length > SHOWN_NAME) return [];
  const near = names.find((ours) => !Object.hasOwn(given, ours) && resembles(name, ours));
  return near === undefined ? [] : [`"${name}" is no parameter of this tool and was ignored; did you mean "${near}"?`];
}

function resembles(name: string, ours: string): boolean {
  const [left, right] = [name, ours].map((text) => text.toLowerCase().replace(/[^a-z0-9]/g, ''));
  if (left === undefined || right === undefined || right.length < 4) return left === right;
  return distance(left, right) <= MOST_EDITS;
}
