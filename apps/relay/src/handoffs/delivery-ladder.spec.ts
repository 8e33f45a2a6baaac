import { deliveryLadder } from './delivery-ladder';

const at = new Date('2026-05-01T09:14:32.000Z');
const pending = {
  createdAt: at,
  listedAt: null,
  openedAt: null,
  acceptedAt: null,
  completedAt: null,
  cancelledAt: null,
};

describe('the delivery ladder', () => {
  it('says of each missing step why it is missing', () => {
    expect(deliveryLadder(pending)).toEqual({
      stored: { at },
      notified: { cause: 'the recipient has no notification channel' },
      listed: { cause: 'the recipient has not listed its inbox since' },
      opened: { cause: 'the recipient has not read the thread' },
      accepted: { cause: 'the recipient has not accepted it' },
      completed: { cause: 'it was not accepted yet' },
    });
  });

  it('shows the time of each step taken, and a cancellation as the cause of the others', () => {
    expect(deliveryLadder({ ...pending, listedAt: at, cancelledAt: at })).toMatchObject({
      listed: { at },
      opened: { cause: 'it was cancelled' },
      accepted: { cause: 'it was cancelled' },
    });
    expect(deliveryLadder({ ...pending, acceptedAt: at })).toMatchObject({
      accepted: { at },
      completed: { cause: 'the recipient is working on it' },
    });
  });
});
