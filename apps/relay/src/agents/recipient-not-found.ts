import { RelayError } from '@agentrelay/protocol';

/** Unknown, disabled and ambiguous recipients answer alike, so that the answer tells nothing of them. */
export function recipientNotFound(handle: string, didYouMean: readonly string[] = []): RelayError {
  return new RelayError(
    'recipient_not_found',
    `No teammate has the handle ${handle}; list the teammates to find the right one.`,
    { did_you_mean: didYouMean },
  );
}
