import { HANDLE_PATTERN, LIMITS } from '@agentrelay/protocol';

/** The relay's answer is not what a relay answers; nothing of it is used. */
export class StrangeAnswer extends Error {
  constructor(where: string, wanted: string) {
    super(`What the relay answers cannot be used: ${where} is no ${wanted}.`);
    this.name = 'StrangeAnswer';
  }
}

/** Refuses a value that is not of its type. `where` is a path of ours: names that the relay chose are no part of it. */
export type Shape = (value: unknown, where: string) => void;

function matching(wanted: string, pattern: RegExp, longest: number): Shape {
  return (value, where) => {
    if (typeof value !== 'string' || value.length > longest || !pattern.test(value))
      throw new StrangeAnswer(where, wanted);
  };
}

export const handle = matching('handle', HANDLE_PATTERN, LIMITS.handleLength);
export const author = matching('handle', /^(system|[A-Za-z0-9._-]+@[A-Za-z0-9._-]+)$/, LIMITS.handleLength);
export const id = matching('id', /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 36);
export const time = matching('time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/, 40);
/** A word of a vocabulary, of which a newer relay may know more. */
export const word = matching('word', /^[A-Za-z][A-Za-z0-9_.]*$/, 40);
export const link = matching('address', /^(https?:\/\/[A-Za-z0-9.:[\]-]+)?\/[A-Za-z0-9._~%/@:-]*$/, 1_000);
export const cursor = matching('cursor', /^[\x21-\x7d]+$/, 300);
export const traceparent = matching('trace', /^[0-9a-f-]+$/, 100);

/** Any text; it is made visible where it is shown. */
export const text: Shape = (value, where) => {
  if (typeof value !== 'string') throw new StrangeAnswer(where, 'text');
};

export const count: Shape = (value, where) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new StrangeAnswer(where, 'count');
};

export const anyObject: Shape = (value, where) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new StrangeAnswer(where, 'object');
};

export function nullable(shape: Shape): Shape {
  return (value, where) => {
    if (value !== null && value !== undefined) shape(value, where);
  };
}

export function optional(shape: Shape): Shape {
  return (value, where) => {
    if (value !== undefined) shape(value, where);
  };
}

export function list(shape: Shape, most: number): Shape {
  return (value, where) => {
    if (!Array.isArray(value) || value.length > most) throw new StrangeAnswer(where, `list of at most ${most}`);
    value.forEach((entry, index) => shape(entry, `${where}[${index}]`));
  };
}

/** An object with at least these members; others that a newer relay may send stay in it. */
export function object(shapes: Readonly<Record<string, Shape>>): Shape {
  const members = Object.entries(shapes);
  return (value, where) => {
    anyObject(value, where);
    const given = value as Record<string, unknown>;
    for (const [name, shape] of members)
      shape(Object.hasOwn(given, name) ? given[name] : undefined, where === '' ? name : `${where}.${name}`);
  };
}
