import type { Artifact, HandoffState, Intent, MessageKind, Outcome, WireProposedAction } from '@agentrelay/protocol';

/** What the reference model knows: plain data, so that it can be copied for every order that is tried. */

/** The agents of every history, by number. */
export const HANDLES = ['ann@acme', 'ben@acme', 'cat@acme', 'dan@acme'] as const;

export const ARTIFACTS: readonly Artifact[][] = [
  [],
  [{ type: 'link', url: 'https://example.com/one' }],
  [{ type: 'file_ref', path: 'src/main.ts', lines: [1, 2] }],
];

export const PROPOSAL: WireProposedAction = { description: 'Rename it', target_files: ['a.ts'], rationale: 'Clearer' };

export interface Message {
  author: number;
  kind: MessageKind;
  body: string;
  payload: object;
  artifacts: Artifact[];
  at: string;
  /** Known where an answer has told it. */
  id?: string;
}

export interface Handoff {
  id: string;
  inboxUrl: string;
  sender: number;
  recipient: number;
  intent: Intent;
  status: HandoffState;
  version: number;
  messages: Message[];
  outcome?: Outcome;
  session?: string;
  /** The answer to the accept that won. */
  acceptance?: object;
  createdAt: string;
  updatedAt: string;
  acceptedAt?: string;
  completedAt?: string;
  cancelledAt?: string;
  /** How far each agent has read. */
  readTo: number[];
  listed: boolean;
  opened: boolean;
}

export interface Happening {
  type: string;
  actor: number;
  handoff?: number;
  payload: object;
  /** Which step of the history caused it; calls made at once share one. */
  step: number;
}

/** A successful write under a key: what was asked, and what was answered. */
export interface Remembered {
  agent: number;
  command: string;
  key: string;
  args: string;
  handoff: number;
  answer: object;
}

export interface State {
  handoffs: Handoff[];
  /** `blocker>blocked` */
  blocks: string[];
  remembered: Remembered[];
  events: Happening[];
  step: number;
}

export function emptyState(): State {
  return { handoffs: [], blocks: [], remembered: [], events: [], step: 0 };
}

export function blocks(state: State, blocker: number, blocked: number): boolean {
  return state.blocks.includes(`${blocker}>${blocked}`);
}

/** Messages by others above the agent's read position. */
export function unread({ messages, readTo }: Handoff, agent: number): number {
  return messages.slice(readTo[agent]).filter(({ author }) => author !== agent).length;
}

/** A thread as one of its sides has just seen these messages of it. */
export function markRead(handoff: Handoff, agent: number, first: number, last: number): void {
  const at = handoff.readTo[agent]!;
  if (first <= at + 1 && last > at) handoff.readTo[agent] = last;
  if (agent === handoff.recipient) handoff.opened = true;
}
