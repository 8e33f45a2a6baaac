import { DEFAULT_LIMITS, type LimitName } from '@agentrelay/protocol';
import { z } from 'zod';

/** The size limits that an operator may change, with what each bounds. */
export const ADJUSTABLE_LIMITS = {
  bodyBytes: 'Bytes of a request body on `/a2a`',
  formBodyBytes: 'Bytes of a request body that holds a card',
  smallBodyBytes: 'Bytes of any other request body',
  bodiesInFlightBytes:
    'Bytes of request bodies that one replica holds at once, counted as they arrive; one agent, or one address without a key, gets at most a quarter',
  jsonDepth: 'Levels of nesting in a request',
  jsonValues:
    'JSON values in a request: objects, lists and what stands in them, counted before anything is built from it',
  summary: 'Characters of a summary',
  messageBody: 'Characters of a message',
  resultSummary: 'Characters of a result summary',
  proposedActionText: 'Characters of each text of a proposed action',
  draftedDiff: 'Characters of a drafted diff',
  targetFiles: 'Target files of a proposed action, and files of a draft',
  artifactsPerMessage: 'Artifacts of one message',
  artifactBytes: 'Bytes of one artifact as JSON',
  inlineBytes: 'Bytes of an inline contract as JSON',
  metadataBytes: 'Bytes of metadata as JSON',
  payloadBytes: 'Bytes of a payload as JSON',
  messagesPerThread: 'Messages of one thread; a result always fits',
  threadBytes: 'Bytes of all messages of a thread as JSON; a result always fits',
  answerBytes:
    'Bytes of one answer, and of all answers of a batch together; what is longer comes in parts. At least twice `RELAY_LIMIT_BODY_BYTES`',
  answersInFlightBytes:
    'Bytes of answers that one replica builds or has not handed over yet, for one agent at most half of them; beyond, the answer is `unavailable`. At least twice `RELAY_LIMIT_ANSWER_BYTES`',
  skills: 'Skills on a card',
  skill: 'Characters of one skill',
  repos: 'Repositories on a card',
  repo: 'Characters of one repository',
  description: 'Characters of a card’s description',
  blockReason: 'Characters of a block’s reason',
  costlyReads:
    'Costly reads, which are text filters of lists and exports, that one agent, and apart from it the person behind it, may have in work at once on one replica',
  waitersPerAgent:
    'Streams and long polls that one agent, and apart from it the person behind it, may hold open on one replica',
} as const satisfies Partial<Record<LimitName, string>>;

export type AdjustableLimit = keyof typeof ADJUSTABLE_LIMITS;
type LimitSetting = `RELAY_LIMIT_${string}`;

/** `messageBody` → `RELAY_LIMIT_MESSAGE_BODY`. */
export function limitSetting(limit: AdjustableLimit): LimitSetting {
  return `RELAY_LIMIT_${limit.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

const MAX = 1_000_000_000;

/** One setting a limit. */
export const LIMIT_SETTINGS = Object.fromEntries(
  Object.entries(ADJUSTABLE_LIMITS).map(([limit, meaning]) => [
    limitSetting(limit as AdjustableLimit),
    z.coerce
      .number<string>()
      .int()
      .min(1)
      .max(MAX)
      .default(DEFAULT_LIMITS[limit as AdjustableLimit])
      .describe(`${meaning}.`),
  ]),
) as Record<LimitSetting, z.ZodType<number, string>>;

/** The limits that the settings ask for. */
export function limitsOf(settings: Record<string, unknown>): Partial<Record<LimitName, number>> {
  return Object.fromEntries(
    (Object.keys(ADJUSTABLE_LIMITS) as AdjustableLimit[]).map((limit) => [limit, settings[limitSetting(limit)]]),
  );
}
