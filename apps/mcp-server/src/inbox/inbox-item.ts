import { HANDOFF_STATES, INTENTS, type WireListItem } from '@agentrelay/protocol';
import type { TeammateTrust, TrustFile } from '@agentrelay/workstation';
import { z } from 'zod';
import { knownWord } from '../provenance';
import { reasonToWithhold, userMustDecide } from '../trust';

export const inboxItemSchema = z.object({
  thread_id: z.string(),
  status: z.string(),
  intent: z.string(),
  sender: z.string(),
  recipient: z.string(),
  unread_messages: z.number(),
  artifact_count: z.number(),
  created_at: z.string(),
  updated_at: z.string(),
  trust: z.enum(['open', 'ask', 'withheld']),
});

type InboxItem = z.output<typeof inboxItemSchema>;

/** What `trust.yaml` says about an item: shown, shown for the user to decide, or kept back and why. */
export interface ItemTrust {
  handle: string;
  verdict: InboxItem['trust'];
  reason: string | undefined;
}

export function itemTrust(entry: WireListItem, file: TrustFile, self: string): ItemTrust {
  const received = entry.sender.handle !== self;
  const trust: TeammateTrust = file.trustOf(received ? entry.sender.handle : entry.recipient.handle);
  const reason = reasonToWithhold(trust, received);
  const verdict = reason !== undefined ? 'withheld' : userMustDecide(trust, received) ? 'ask' : 'open';
  return { handle: trust.handle, verdict, reason };
}

export function structuredItem(entry: WireListItem, file: TrustFile, self: string): InboxItem {
  const { verdict } = itemTrust(entry, file, self);
  return {
    thread_id: entry.thread_id,
    status: knownWord(entry.status.state, HANDOFF_STATES),
    intent: knownWord(entry.intent, INTENTS),
    sender: entry.sender.handle,
    recipient: entry.recipient.handle,
    unread_messages: entry.unread_messages,
    artifact_count: entry.artifact_count,
    created_at: entry.created_at,
    updated_at: entry.updated_at,
    trust: verdict,
  };
}
