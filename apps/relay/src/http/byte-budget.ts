/**
 * Bytes that may be in work at once on this replica, in all and for one holder. Kept in memory; what is taken is given
 * back with the release that `take` returns, which may be called any number of times.
 */
export class ByteBudget {
  private inWork = 0;
  private readonly byHolder = new Map<string, number>();

  constructor(
    private readonly total: number,
    private readonly perHolder: number,
  ) {}

  /** Bytes in work now. */
  get taken(): number {
    return this.inWork;
  }

  /** Whether `holder` has nothing in work. */
  isFree(holder: string): boolean {
    return !this.byHolder.has(holder);
  }

  /** Counts `bytes` for `holder` and returns what gives them back, or undefined when they do not fit. */
  take(holder: string, bytes: number): (() => void) | undefined {
    const held = this.byHolder.get(holder) ?? 0;
    if (this.inWork + bytes > this.total || held + bytes > this.perHolder) return undefined;
    return this.add(holder, bytes);
  }

  /** As `take`, whether they fit or not. */
  add(holder: string, bytes: number): () => void {
    this.inWork += bytes;
    this.byHolder.set(holder, (this.byHolder.get(holder) ?? 0) + bytes);
    let taken = bytes;
    return () => {
      this.giveBack(holder, taken);
      taken = 0;
    };
  }

  private giveBack(holder: string, bytes: number): void {
    this.inWork -= bytes;
    const rest = (this.byHolder.get(holder) ?? 0) - bytes;
    if (rest > 0) this.byHolder.set(holder, rest);
    else this.byHolder.delete(holder);
  }
}
