import { Injectable } from '@nestjs/common';

/** One call of the native API, when it is over. */
export interface FinishedCall {
  /** A registered method; `unknown` for any other name, and where none could be read. */
  method: string;
  /** `ok`, or the symbol of its refusal. */
  outcome: string;
  /** How long it took; undefined for a request that was refused before there was a call. */
  seconds: number | undefined;
}

/** Tells whoever watches the native API of every call, each entry of a batch on its own, and of requests that were refused whole. */
@Injectable()
export class RpcCalls {
  private readonly watchers: ((call: FinishedCall) => void)[] = [];

  watch(watcher: (call: FinishedCall) => void): void {
    this.watchers.push(watcher);
  }

  finished(call: FinishedCall): void {
    for (const watcher of this.watchers) watcher(call);
  }
}
