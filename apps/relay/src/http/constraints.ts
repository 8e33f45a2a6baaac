import {
  artifactFault,
  codePoints,
  DEFAULT_LIMITS,
  jsonBytes,
  type LimitName,
  LIMITS,
  preview,
  textFault,
} from '@agentrelay/protocol';
import { ValidateBy, ValidateIf } from 'class-validator';

/** The reason why a value is refused, as "must …", or undefined. */
type FaultOf = (value: unknown) => string | undefined;

/** A fixed bound, or the name of a limit, looked up when a value is checked. */
type Bound = number | LimitName;

function bound(max: Bound): number {
  return typeof max === 'number' ? max : LIMITS[max];
}

/** How a bound reads in the documents: by default, because operators may change it. */
function shownBound(max: Bound): string {
  return typeof max === 'number' ? String(max) : `${DEFAULT_LIMITS[max]}`;
}

/** A constraint whose message is the reason that `faultOf` gives. `rule` says in the documents what is allowed. */
export function ValidateWith(rule: string, faultOf: FaultOf): PropertyDecorator {
  return ValidateBy({
    name: rule,
    validator: {
      validate: (value: unknown) => faultOf(value) === undefined,
      defaultMessage: (args) => faultOf(args?.value) ?? 'is invalid',
    },
  });
}

/** May be left out; every other constraint then rests. */
export function Optional(): PropertyDecorator {
  return ValidateIf((_dto: object, value: unknown) => value !== undefined);
}

/** A string of `min` to `max` code points that PostgreSQL can store as sent. */
export function IsText({ min = 0, max }: { min?: number; max: Bound }): PropertyDecorator {
  return ValidateWith(`text, ${min} to ${shownBound(max)} characters`, (value) => stringFault(value, min, bound(max)));
}

export function IsIn(words: readonly string[]): PropertyDecorator {
  return ValidateWith(words.map((word) => `\`${word}\``).join(', '), (value) => oneOfFault(value, words));
}

export function SomeOf(words: readonly string[]): PropertyDecorator {
  return ValidateWith(`list of ${words.map((word) => `\`${word}\``).join(', ')}`, (value) =>
    listFault(value, words.length, (entry) => oneOfFault(entry, words)),
  );
}

/** A list of at most `maxEntries` strings of 1 to `max` code points. */
export function TextList({ maxEntries, max }: { maxEntries: Bound; max: Bound }): PropertyDecorator {
  return ValidateWith(
    `list of at most ${shownBound(maxEntries)} texts, 1 to ${shownBound(max)} characters each`,
    (value) => listFault(value, bound(maxEntries), (entry) => stringFault(entry, 1, bound(max))),
  );
}

export function Artifacts(maxEntries: Bound): PropertyDecorator {
  return ValidateWith(`list of at most ${shownBound(maxEntries)} artifacts`, (value) =>
    listFault(value, bound(maxEntries), artifactFault),
  );
}

/** A free-form JSON object of at most `maxBytes`. */
export function JsonObject(maxBytes: Bound): PropertyDecorator {
  return ValidateWith(`object, at most ${shownBound(maxBytes)} bytes of JSON`, (value) => {
    if (!isPlainObject(value)) return 'must be an object';
    return jsonBytes(value) <= bound(maxBytes) ? undefined : `must be at most ${bound(maxBytes)} bytes of JSON`;
  });
}

export function IsInt(min: number, max: number): PropertyDecorator {
  return ValidateWith(`whole number, ${min} to ${max}`, (value) =>
    Number.isSafeInteger(value) && (value as number) >= min && (value as number) <= max
      ? undefined
      : `must be a whole number from ${min} to ${max}`,
  );
}

export function IsBoolean(): PropertyDecorator {
  return ValidateWith('`true` or `false`', (value) =>
    typeof value === 'boolean' ? undefined : 'must be true or false',
  );
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function IsUuid(): PropertyDecorator {
  return ValidateWith('id (a UUID)', (value) => (isId(value) ? undefined : 'must be an id (a UUID)'));
}

/** Whether `value` can be the id of anything the relay made. */
export function isId(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

function isInstant(value: unknown): boolean {
  const [, day] = typeof value === 'string' ? (INSTANT.exec(value) ?? []) : [];
  if (day === undefined || Number.isNaN(Date.parse(value as string))) return false;
  // JavaScript takes the 30th of February for a day in March.
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** An ISO 8601 time with its zone. */
export function IsIsoTime(): PropertyDecorator {
  return ValidateWith('ISO 8601 time with zone', (value) =>
    isInstant(value) ? undefined : 'must be an ISO 8601 time with zone, such as 2026-05-01T09:14:32Z',
  );
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first member of `value` that is not one of `known`, as a reason to refuse it. */
export function unknownMemberFault(value: object, known: readonly string[]): string | undefined {
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  return unknown === undefined ? undefined : `has the unknown member ${JSON.stringify(shownName(unknown))}`;
}

/** A name from outside as messages quote it, so that a huge one makes no huge answer. */
export function shownName(name: string): string {
  return preview(name, 100);
}

export function stringFault(value: unknown, min: number, max: number): string | undefined {
  if (value === undefined) return 'is required';
  if (typeof value !== 'string') return 'must be a string';
  const fault = textFault(value);
  if (fault !== undefined) return fault;
  // A code point is at most two units: the exact count is only needed in between.
  const length = value.length <= max ? value.length : codePoints(value);
  if (length > max) return `must be at most ${max} characters`;
  return length < min ? 'must not be empty' : undefined;
}

export function listFault(value: unknown, maxEntries: number, faultOf: FaultOf): string | undefined {
  if (!Array.isArray(value)) return 'must be a list';
  if (value.length > maxEntries) return `must have at most ${maxEntries} entries`;
  for (const [index, entry] of value.entries()) {
    const fault = faultOf(entry);
    if (fault !== undefined) return `entry ${index}: ${fault}`;
  }
  return undefined;
}

function oneOfFault(value: unknown, words: readonly string[]): string | undefined {
  if (value === undefined) return 'is required';
  return typeof value === 'string' && words.includes(value) ? undefined : `must be one of ${words.join(', ')}`;
}
