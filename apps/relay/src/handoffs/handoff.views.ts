import type { Artifact, HandoffState, Intent, MessageKind, Outcome, WireProposedAction } from '@agentrelay/protocol';
import type { DeliveryLadder } from './delivery-ladder';

/** What readers of a handoff get, whichever API they came through. */

export interface ParticipantView {
  agentId: string;
  handle: string;
  name: string;
  role: string;
}

export interface MessageView {
  id: string;
  sequenceNo: number;
  /** The author's handle; undefined when the relay itself wrote it. */
  author: ParticipantView | undefined;
  kind: MessageKind;
  body: string;
  payload: Record<string, unknown>;
  artifacts: Artifact[];
  createdAt: Date;
}

export interface ThreadView {
  id: string;
  sender: ParticipantView;
  recipient: ParticipantView;
  status: HandoffState;
  intent: Intent;
  summary: string;
  artifacts: Artifact[];
  proposedAction: WireProposedAction | null;
  metadata: Record<string, unknown>;
  messages: MessageView[];
  unreadMessages: number;
  createdAt: Date;
  updatedAt: Date;
  acceptedAt: Date | null;
  completedAt: Date | null;
  cancelledAt: Date | null;
  completedSummary: string | null;
  completionArtifacts: Artifact[];
  outcome: Outcome | null;
  delivery: DeliveryLadder;
  /** The trace that it was sent in, where that was told. */
  traceparent: string | null;
  version: number;
  /** The last message here, where more follow. */
  nextAfterSequenceNo: number | null;
  /** Members that had no room, and are empty here. */
  omitted: string[];
}

export interface HandoffListItem {
  id: string;
  status: HandoffState;
  outcome: Outcome | null;
  intent: Intent;
  sender: ParticipantView;
  recipient: ParticipantView;
  summaryPreview: string;
  unreadMessages: number;
  artifactCount: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface HandoffList {
  items: HandoffListItem[];
  nextCursor: string | null;
  unreadTotal: number;
  /** On the first page: the time from which `updatedSince` later yields everything that moved. */
  asOf: Date | undefined;
}

export interface SentHandoff {
  id: string;
  recipient: string;
  createdAt: Date;
  replayed: boolean;
}

export interface AppendedMessage {
  handoffId: string;
  messageId: string;
  sequenceNo: number;
  createdAt: Date;
  replayed: boolean;
}

export interface TransitionResult {
  handoffId: string;
  status: HandoffState;
  outcome: Outcome | null;
  version: number;
  updatedAt: Date;
  acceptedAt: Date | null;
  completedAt: Date | null;
  cancelledAt: Date | null;
  completionArtifacts: Artifact[];
  thread: ThreadView | undefined;
  /** Whether the thread was asked for and had no room. */
  threadOmitted: boolean;
  replayed: boolean;
}
