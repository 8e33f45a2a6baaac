import { type ErrorDetails, type ErrorSymbol, LIMITS, RelayError } from '@agentrelay/protocol';
import { type JsonFaultKind, type JsonFaultPlace, parseScanned, scanJson } from './json-scan';

/** What makes a JSON text, or an entry of it, unfit to be taken in. */
export interface JsonFault {
  symbol: ErrorSymbol;
  message: string;
  details: ErrorDetails;
  /** Where, as a path of names; undefined for what has no place. */
  field?: string;
}

const PROBLEMS: Record<Exclude<JsonFaultKind, 'depth'>, string> = {
  nul: 'contains a NUL character',
  surrogate: 'contains half of a surrogate pair',
  proto: 'is not allowed as a name',
  overflow: 'is a number beyond what JSON readers can hold; send it as a string',
  integer: 'is an integer beyond ±(2^53−1), which JSON readers round; send it as a string',
};

/** The value of a body that is one JSON text. @throws RelayError for what is no JSON, or must not be taken in */
export function parseJson(bytes: Uint8Array): unknown {
  const [place] = scanJson(bytes, false).faults;
  if (place === undefined) return parseScanned(bytes);
  const { symbol, message, details } = jsonFault(bytes, place);
  throw new RelayError(symbol, message, details);
}

/** A fault as it is told. Only now is it looked for where in the text it stands. */
export function jsonFault(bytes: Uint8Array, place: JsonFaultPlace): JsonFault {
  if (place.kind === 'depth') {
    return {
      symbol: 'invalid_request',
      message: `The request is nested deeper than ${LIMITS.jsonDepth} levels; flatten it.`,
      details: { limit: LIMITS.jsonDepth },
    };
  }
  const problem = PROBLEMS[place.kind];
  const field = pathTo(bytes, place).replace(/^\./, '').slice(0, 200) || 'the request';
  return {
    symbol: 'invalid_params',
    message: `${field} ${problem}.`,
    details: { faults: [{ field, problem }] },
    field,
  };
}

/** A container on the way: the number of its value, or the place of the name. */
interface Step {
  isObject: boolean;
  index: number;
  name: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Reads a text that is known to be JSON once more, from its entry to the fault. */
function pathTo(bytes: Uint8Array, { at: end, entryAt, isName }: JsonFaultPlace): string {
  const steps: Step[] = [];
  let lastText = entryAt;
  for (let at = entryAt; at < end; at++) {
    const step = steps.at(-1);
    switch (String.fromCharCode(bytes[at] ?? 0)) {
      case '"':
        lastText = at;
        at = textEnd(bytes, at);
        break;
      case ':':
        if (step !== undefined) step.name = textAt(bytes, lastText);
        break;
      case ',':
        if (step !== undefined) step.index++;
        break;
      case '{':
      case '[':
        steps.push({ isObject: bytes[at] === 0x7b, index: 0, name: '' });
        break;
      case '}':
      case ']':
        steps.pop();
        break;
      default:
    }
  }
  const way = isName ? steps.slice(0, -1) : steps;
  const path = way.map(({ isObject, index, name }) => (isObject ? `.${name}` : `[${index}]`)).join('');
  return isName ? `${path}.${JSON.stringify(textAt(bytes, end))}` : path;
}

/** The place of the closing quote of the text that begins here. */
function textEnd(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

function textAt(bytes: Uint8Array, start: number): string {
  return JSON.parse(Buffer.from(bytes.subarray(start, textEnd(bytes, start) + 1)).toString('utf8')) as string;
}
