import { z } from 'zod';

/** Why a value does not fit a JSON schema; undefined when it does. */
export function schemaFault(schema: Record<string, unknown>, value: unknown): string | undefined {
  const { success, error } = z.fromJSONSchema(schema).safeParse(value);
  return success ? undefined : z.prettifyError(error);
}
