import { ByteBudget } from './byte-budget';

describe('ByteBudget', () => {
  it('refuses what exceeds the total of all holders', () => {
    const budget = new ByteBudget(100, 80);
    budget.take('ann', 60);
    expect(budget.take('bob', 41)).toBeUndefined();
    expect(budget.take('bob', 40)).toBeDefined();
    expect(budget.taken).toBe(100);
  });

  it('refuses what exceeds the share of one holder while others still fit', () => {
    const budget = new ByteBudget(100, 50);
    budget.take('ann', 50);
    expect(budget.take('ann', 1)).toBeUndefined();
    expect(budget.take('bob', 50)).toBeDefined();
  });

  it('gives bytes back once, however often their release is called', () => {
    const budget = new ByteBudget(100, 100);
    const release = budget.take('ann', 70);
    budget.take('ann', 30);
    release?.();
    release?.();
    expect(budget.taken).toBe(30);
    expect(budget.take('ann', 70)).toBeDefined();
  });
});
