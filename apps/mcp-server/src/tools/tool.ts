import type { ToolAnnotations } from '@modelcontextprotocol/sdk/types.js';
import type { TrustFile } from '@agentrelay/workstation';
import type { z } from 'zod';
import type { ToolText } from '../provenance';
import type { CheckedRelay } from '../relay-answers';
import type { ProcessMemory } from '../relay-session';
import type { Budget } from '../result-budget';

/** What a tool works with during one call. */
export interface ToolCall {
  client: CheckedRelay;
  /** The caller's own handle. */
  self: string;
  /** What lasts as long as this process. */
  session: ProcessMemory;
  /** Whom the user trusts with what, as their file says now. @throws WorkstationFileError when it cannot be read */
  trust: () => TrustFile;
  /** When the call must have ended, in milliseconds since the epoch. The client keeps to it. */
  deadline: number;
  /** How long the text of the answer may be. */
  budget: Budget;
  /** The key of this call, for the write that it makes. */
  idempotencyKey: string;
}

/** What a tool answers: facts for programs, and what the model reads, which stands in `structured` as `text` too. */
export interface ToolAnswer {
  structured: Record<string, unknown>;
  text: ToolText;
}

/** A tool as the model sees it, and what it does. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Written for a model: when to use it, when not, what happens. */
  readonly description: string;
  readonly input: Input;
  readonly output: z.ZodObject;
  readonly annotations: Required<Omit<ToolAnnotations, 'title'>>;
  run(input: z.output<Input>, call: ToolCall): Promise<ToolAnswer>;
}

/** Ties a tool's `run` to its own input schema. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool<Input> {
  return tool;
}

/** Annotations of tools that only read. */
export const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true };

/** Annotations of tools that add to a thread and undo nothing. */
export const ADDS = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };

/** Annotations of tools that end a thread for good. */
export const ENDS = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
