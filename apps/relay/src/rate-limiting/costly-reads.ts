import { LIMITS, RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';

/**
 * Bounds the reads that cost the database much, by how many of them one agent, or the person behind it, has in work at once on this
 * replica: text filters of lists, and exports.
 */
@Injectable()
export class CostlyReads {
  private readonly inWork = new Map<string, number>();

  /** What `read` gives. @throws RelayError rate_limited when the subject has as many in work as it may; `read` is then not begun */
  async run<Result>(subject: string, read: () => Promise<Result>): Promise<Result> {
    const others = this.inWork.get(subject) ?? 0;
    if (others >= LIMITS.costlyReads) {
      const message = `This agent already has ${LIMITS.costlyReads} costly reads (text filters, exports) in work; wait for one to end.`;
      throw new RelayError('rate_limited', message, { limit: LIMITS.costlyReads });
    }
    this.inWork.set(subject, others + 1);
    try {
      return await read();
    } finally {
      this.end(subject);
    }
  }

  private end(subject: string): void {
    const left = (this.inWork.get(subject) ?? 1) - 1;
    if (left > 0) this.inWork.set(subject, left);
    else this.inWork.delete(subject);
  }
}
