import { TokenBuckets } from './token-buckets';

describe('a token bucket', () => {
  it('grants the burst at once, then as many as flow in, and says when the next is there', () => {
    let now = 0;
    const buckets = new TokenBuckets(60, 3, () => now);
    const take = (): boolean => buckets.take('key').granted;
    expect([take(), take(), take(), take()]).toEqual([true, true, true, false]);
    expect(buckets.take('key')).toEqual({ granted: false, limit: 3, remaining: 0, retryAfterMs: 1_000 });
    now = 400;
    expect(buckets.take('key').retryAfterMs).toBe(600);
    now = 1_000;
    expect([take(), take()]).toEqual([true, false]);
    now = 1_000_000;
    expect([take(), take(), take(), take()]).toEqual([true, true, true, false]);
  });

  it('is one per name', () => {
    const buckets = new TokenBuckets(60, 1, () => 0);
    expect([buckets.take('a').granted, buckets.take('b').granted, buckets.take('a').granted]).toEqual([
      true,
      true,
      false,
    ]);
  });
});
