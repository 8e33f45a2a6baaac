/** What is known of a handoff's way to its recipient: each step with its time, or the reason why there is none. */
export interface DeliveryLadder {
  stored: DeliveryStep;
  notified: DeliveryStep;
  listed: DeliveryStep;
  opened: DeliveryStep;
  accepted: DeliveryStep;
  completed: DeliveryStep;
}

type DeliveryStep = { at: Date } | { cause: string };

export interface DeliveryTimes {
  createdAt: Date;
  listedAt: Date | null;
  openedAt: Date | null;
  acceptedAt: Date | null;
  completedAt: Date | null;
  cancelledAt: Date | null;
}

/** A stored handoff is never reported as a delivered one (domain.md 2). */
export function deliveryLadder(times: DeliveryTimes): DeliveryLadder {
  const ended = times.cancelledAt === null ? undefined : 'it was cancelled';
  const step = (at: Date | null, cause: string): DeliveryStep => (at === null ? { cause: ended ?? cause } : { at });
  return {
    stored: { at: times.createdAt },
    notified: { cause: 'the recipient has no notification channel' },
    listed: step(times.listedAt, 'the recipient has not listed its inbox since'),
    opened: step(times.openedAt, 'the recipient has not read the thread'),
    accepted: step(times.acceptedAt, 'the recipient has not accepted it'),
    completed: step(
      times.completedAt,
      times.acceptedAt === null ? 'it was not accepted yet' : 'the recipient is working on it',
    ),
  };
}
