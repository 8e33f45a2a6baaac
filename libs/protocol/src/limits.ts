/**
 * Size limits of the wire (wire.md, "Limits"). Text is counted in Unicode code points,
 * encoded JSON (`metadata`, `payload`, `inline`, one artifact, a request body) in UTF-8 bytes.
 */
export const DEFAULT_LIMITS = {
  bodyBytes: 4 * 1024 * 1024,
  formBodyBytes: 256 * 1024,
  smallBodyBytes: 64 * 1024,
  bodiesInFlightBytes: 64 * 1024 * 1024,
  jsonDepth: 32,
  jsonValues: 100_000,
  batchEntries: 20,
  pathParameterLength: 400,
  requestIdLength: 128,
  rpcIdLength: 255,
  handleLength: 120,
  idempotencyKeyLength: 255,
  sessionIdLength: 255,
  summary: 10_000,
  messageBody: 100_000,
  resultSummary: 10_000,
  proposedActionText: 10_000,
  textParts: 100,
  targetFiles: 200,
  artifactsPerMessage: 50,
  artifactBytes: 1024 * 1024,
  inlineBytes: 256 * 1024,
  metadataBytes: 16 * 1024,
  payloadBytes: 64 * 1024,
  messagesPerThread: 10_000,
  threadBytes: 64 * 1024 * 1024,
  answerBytes: 8 * 1024 * 1024,
  answersInFlightBytes: 32 * 1024 * 1024,
  listPage: 200,
  listPageDefault: 50,
  summaryPreview: 240,
  waitersPerAgent: 10,
  costlyReads: 4,
  eventPage: 200,
  eventPageDefault: 100,
  eventWaitMs: 50_000,
  draftedDiff: 100_000,
  displayName: 200,
  role: 120,
  skills: 50,
  skill: 60,
  repos: 100,
  repo: 200,
  description: 2_000,
  blockReason: 500,
  liveKeys: 10,
  keyOverlapSeconds: 86_400,
} as const;

export type LimitName = keyof typeof DEFAULT_LIMITS;

const current: Record<LimitName, number> = { ...DEFAULT_LIMITS };

/** The limits of this process: the defaults, unless it was started with others. */
export const LIMITS: Readonly<Record<LimitName, number>> = current;

/** Sets the limits of this process, once, at its start. What is not named has its default. */
export function adjustLimits(overrides: Partial<Record<LimitName, number>>): void {
  Object.assign(current, DEFAULT_LIMITS, overrides);
}
