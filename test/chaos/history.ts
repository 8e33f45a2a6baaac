import { createWriteStream, type WriteStream } from 'node:fs';

export type OperationKind = 'send' | 'accept' | 'append' | 'complete' | 'cancel' | 'get' | 'list';

/** What an agent asked for: one write under one idempotency key, however often it had to be repeated, or one read. */
export interface Request {
  agent: string;
  kind: OperationKind;
  recipient?: string;
  /** The thread it is about, unless it makes one. */
  task?: string;
  /** Unique text that the write carries. */
  body?: string;
  session?: string;
}

/** What the relay said to a write that it acknowledged. */
export interface Acknowledgement {
  task: string;
  message?: string;
  sequence?: number;
  session?: string;
}

/** What one attempt came to. `unknown`: the relay did not answer, or could not say. */
export type Attempt =
  | { outcome: 'acknowledged'; answer: Acknowledgement }
  | { outcome: 'refused'; symbol: string }
  | { outcome: 'unknown'; reason: 'cut' | 'timeout' | 'unavailable' | 'internal' };

export interface Operation {
  id: number;
  request: Request;
  attempts: Attempt[];
}

/** The run as the clients saw it: kept for the checks, and appended to a file line by line as it happens. */
export class History {
  readonly operations: Operation[] = [];
  /** Milliseconds of the slowest attempt that was answered or cut. */
  slowestMs = 0;
  private readonly file: WriteStream;
  private readonly start = Date.now();

  constructor(readonly path: string) {
    this.file = createWriteStream(path);
  }

  invoked(request: Request): Operation {
    const operation: Operation = { id: this.operations.length, request, attempts: [] };
    this.operations.push(operation);
    this.line({ op: operation.id, event: 'invoked', ...request });
    return operation;
  }

  attempted(operation: Operation, attempt: Attempt, url: string, tookMs: number): void {
    operation.attempts.push(attempt);
    this.slowestMs = Math.max(this.slowestMs, tookMs);
    this.line({ op: operation.id, event: attempt.outcome, ...attempt, url, took_ms: Math.round(tookMs) });
  }

  /** Something else that the file shall tell: a fault, a reader's page. */
  line(entry: object): void {
    this.file.write(`${JSON.stringify({ at_ms: Date.now() - this.start, ...entry })}\n`);
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.file.end(resolve));
  }
}
