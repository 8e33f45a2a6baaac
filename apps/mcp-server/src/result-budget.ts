import type { Environment } from '@agentrelay/workstation';

const DEFAULT_CHARACTERS = 40_000;
const LEAST_CHARACTERS = 4_000;
const MOST_CHARACTERS = 100_000;

/** A message of the protocol as it is sent. Its text stands in it twice. */
const MESSAGE_BYTES = 256 * 1024;
/** What stands in a message beside the text: ids, states, cursors, the envelope. */
const BYTES_BESIDE = 24 * 1024;

/** How long the text of one result may be: in UTF-16 units, and in bytes of JSON. */
export interface Budget {
  characters: number;
  bytes: number;
}

/**
 * Clients that take the middle out of a long result, or put it into a file, before their model sees it: what they leave whole. Codex does
 * so beyond 10,000 bytes of JSON for models that it does not know; Copilot CLI counts the text and the structured answer together.
 */
const SHORT_OF: ReadonlyMap<string, number> = new Map([
  ['codex-mcp-client', 9_000],
  ['copilot-cli', 9_000],
]);

/**
 * `AGENTRELAY_RESULT_CHARS`, 4,000 to 100,000; where it is not set or no number 40,000, or what the client of that name leaves whole.
 */
export function resultBudget(environment: Environment, client = ''): Budget {
  const short = SHORT_OF.get(client);
  const set = environment['AGENTRELAY_RESULT_CHARS']?.trim() ?? '';
  if (short !== undefined && set === '') return { characters: short, bytes: short };
  const given = Number(set || DEFAULT_CHARACTERS);
  const wanted = Number.isSafeInteger(given) ? given : DEFAULT_CHARACTERS;
  const characters = Math.min(Math.max(wanted, LEAST_CHARACTERS), MOST_CHARACTERS);
  return { characters, bytes: (MESSAGE_BYTES - BYTES_BESIDE) / 2 };
}

/** Bytes that a text takes inside a JSON string. */
export function bytesInJson(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
