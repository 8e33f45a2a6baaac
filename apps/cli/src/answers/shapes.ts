import { HANDLE_PATTERN } from '@agentrelay/protocol';

/** The relay's answer is not what a relay answers; nothing of it is used. */
export class StrangeAnswer extends Error {
  constructor(at: string, wanted: string) {
    super(`The relay's answer cannot be used: ${at} is no ${wanted}.`);
    this.name = 'StrangeAnswer';
  }
}

/** Checks a value that came from the relay and gives it back. @throws StrangeAnswer */
export type Shape<Value> = (value: unknown, at: string) => Value;

type ValueOf<S> = S extends Shape<infer Value> ? Value : never;

function matching(wanted: string, pattern: RegExp, mostCharacters: number): Shape<string> {
  return (value, at) => {
    if (typeof value === 'string' && value.length <= mostCharacters && pattern.test(value)) return value;
    throw new StrangeAnswer(at, wanted);
  };
}

export const handle = matching('handle', HANDLE_PATTERN, 400);
export const id = matching('id', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, 36);
export const time = matching('time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/, 40);
/** A word of a vocabulary, which a newer relay may know more of. */
export const word = matching('word', /^[A-Za-z0-9._-]+$/, 100);
export const url = matching('address', /^https?:\/\/[A-Za-z0-9.:[\]-]+(\/[A-Za-z0-9._~%/@:-]*)?$/, 2_000);
/** What a key looks like, or a secret. */
export const secret = matching('secret', /^[A-Za-z0-9._~+/=-]+$/, 1_000);
/** A place in a list, which only the relay can read. */
export const cursor = matching('cursor', /^[\x21-\x7e]+$/, 10_000);
/** Any text; it is made visible where it is shown. */
export const text: Shape<string> = (value, at) => {
  if (typeof value === 'string') return value;
  throw new StrangeAnswer(at, 'text');
};

export const count: Shape<number> = (value, at) => {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new StrangeAnswer(at, 'count');
};

export const flag: Shape<boolean> = (value, at) => {
  if (typeof value === 'boolean') return value;
  throw new StrangeAnswer(at, 'true or false');
};

export const anyObject: Shape<Record<string, unknown>> = (value, at) => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new StrangeAnswer(at, 'object');
};

export function nullable<Value>(shape: Shape<Value>): Shape<Value | null> {
  return (value, at) => (value === null || value === undefined ? null : shape(value, at));
}

export function optional<Value>(shape: Shape<Value>): Shape<Value | undefined> {
  return (value, at) => (value === undefined ? undefined : shape(value, at));
}

export function list<Value>(shape: Shape<Value>, most: number): Shape<Value[]> {
  return (value, at) => {
    if (!Array.isArray(value) || value.length > most) throw new StrangeAnswer(at, `list of at most ${most}`);
    value.forEach((entry, index) => shape(entry, `${at}[${index}]`));
    return value as Value[];
  };
}

/** An object with at least these members; others that a newer relay may send stay in it. */
export function object<Shapes extends Record<string, Shape<unknown>>>(
  shapes: Shapes,
): Shape<{ [Name in keyof Shapes]: ValueOf<Shapes[Name]> }> {
  const members = Object.entries(shapes);
  return (value, at) => {
    const given = anyObject(value, at);
    for (const [name, shape] of members) shape(Object.hasOwn(given, name) ? given[name] : undefined, `${at}.${name}`);
    return given as { [Name in keyof Shapes]: ValueOf<Shapes[Name]> };
  };
}
