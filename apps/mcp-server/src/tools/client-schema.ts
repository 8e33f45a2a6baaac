import { z } from 'zod';
import type { Tool } from './tool';

/** A JSON schema of the kind that every client takes. */
export interface ClientSchema {
  type?: string;
  description?: string;
  properties?: Record<string, ClientSchema>;
  required?: string[];
  items?: ClientSchema;
  enum?: unknown[];
  anyOf?: ClientSchema[];
  [keyword: string]: unknown;
}

/** Keywords that clients or the providers behind them refuse, misread, or that only repeat what a description says. */
const LEFT_OUT: readonly string[] = ['$schema', 'additionalProperties', 'propertyNames', 'format', 'default'];

const known = new Map<Tool, ClientSchema>();

/** The input of a tool as clients are shown it. What it leaves out is still checked when the tool is called. */
export function inputSchema(tool: Tool): ClientSchema {
  const schema = known.get(tool) ?? common(z.toJSONSchema(tool.input, { io: 'input', target: 'draft-2020-12' }));
  known.set(tool, schema);
  return schema;
}

/** The structured output of a tool as clients are shown it. */
export function outputSchema(tool: Tool): ClientSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(tool.output, { io: 'output', target: 'draft-2020-12' });
  return schema as ClientSchema;
}

/** The same in the subset of JSON Schema that all clients take: each branch typed, no tuples, constants or patterns of objects. */
function common(given: unknown): ClientSchema {
  const schema = given as ClientSchema & { oneOf?: ClientSchema[]; const?: unknown };
  const branches = schema.anyOf ?? schema.oneOf;
  const present = branches?.filter(({ type }) => type !== 'null');
  if (present?.length === 1) return { ...common(present[0]), ...describing(schema) };
  if (present !== undefined) return { anyOf: present.map(common), ...describing(schema) };
  const shown: ClientSchema = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (LEFT_OUT.includes(keyword) || isSafeBound(value)) continue;
    if (keyword === 'type' && Array.isArray(value)) shown.type = value.find((type) => type !== 'null') as string;
    else if (keyword === 'const') shown.enum = [value];
    else if (keyword === 'properties')
      shown.properties = Object.fromEntries(
        Object.entries(value as object).map(([name, member]) => [name, common(member)]),
      );
    else if (keyword === 'items') shown.items = common(value);
    else shown[keyword] = value;
  }
  // What may be anything is shown as an object, which it nearly always is.
  shown.type ??= shown.enum === undefined ? 'object' : 'string';
  return shown;
}

function describing({ description }: ClientSchema): { description?: string } {
  return description === undefined ? {} : { description };
}

/** The largest number of the language, which says nothing. */
function isSafeBound(value: unknown): boolean {
  return value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER;
}
