/** A schema as far as it says what a value is meant to be. */
export interface ValueSchema {
  type?: string;
  properties?: Record<string, ValueSchema>;
  required?: string[];
  items?: ValueSchema;
  enum?: unknown[];
  anyOf?: ValueSchema[];
}

const INTEGER = /^[+-]?\d{1,15}$/;

/**
 * A value as its sender certainly meant it: models send numbers, lists and objects as text, one entry instead of a list, and null for
 * what they leave out. Text stays as it is where text is wanted, and so does what is free in its form.
 */
export function asMeant(value: unknown, schema: ValueSchema): unknown {
  switch (schema.type) {
    case 'integer':
    case 'number':
      return typeof value === 'string' && INTEGER.test(value.trim()) ? Number(value) : value;
    case 'array':
      return listAsMeant(value, schema.items ?? {});
    case 'object':
      return objectAsMeant(value, schema);
    default:
      return schema.anyOf === undefined ? value : unionAsMeant(value, schema.anyOf);
  }
}

function listAsMeant(value: unknown, items: ValueSchema): unknown {
  const given = typeof value === 'string' ? (parsed(value, '[') ?? parsed(value, '{') ?? value) : value;
  if (Array.isArray(given)) return given.map((entry) => asMeant(entry, items));
  if (typeof given === 'string') return items.enum?.includes(given) ? [given] : given;
  const isOne = typeof given === 'object' && given !== null && (items.type === 'object' || items.anyOf !== undefined);
  return isOne ? [asMeant(given, items)] : given;
}

function objectAsMeant(value: unknown, { properties, required = [] }: ValueSchema): unknown {
  const given = typeof value === 'string' ? (parsed(value, '{') ?? value) : value;
  if (properties === undefined || typeof given !== 'object' || given === null || Array.isArray(given)) return given;
  const members = Object.entries(given).flatMap(([name, member]): [string, unknown][] => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) return [[name, member]];
    return member === null && !required.includes(name) ? [] : [[name, asMeant(member, schema)]];
  });
  return Object.fromEntries(members);
}

/** The shape that the value names by its `type`. */
function unionAsMeant(value: unknown, shapes: readonly ValueSchema[]): unknown {
  const given = typeof value === 'string' ? (parsed(value, '{') ?? value) : value;
  if (typeof given !== 'object' || given === null) return given;
  const { type } = given as { type?: unknown };
  const shape = shapes.find(({ properties }) => properties?.['type']?.enum?.includes(type));
  return shape === undefined ? given : asMeant(given, shape);
}

/** The value of a JSON text that starts with this bracket; undefined when it is none. */
function parsed(text: string, bracket: '[' | '{'): unknown {
  if (!text.trimStart().startsWith(bracket)) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
