import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import canonicalize from 'canonicalize';
import { LRUCache } from 'lru-cache';

const KEPT_MS = 10 * 60_000;
const MAX_KEPT = 200;

/**
 * Remembers the idempotency key of a call whose outcome is unknown, so that the model's own repetition of that call
 * cannot double it (seed 004: "if the agent retries a tool call").
 */
@Injectable()
export class PendingKeys {
  private readonly kept = new LRUCache<string, string>({ max: MAX_KEPT, ttl: KEPT_MS });

  /** Whether the same call was made before and its outcome is not known. */
  has(tool: string, args: object): boolean {
    return this.kept.has(digest(tool, args));
  }

  /** The kept key of the same call, or a fresh one, which is kept until the call's outcome is known. */
  keyFor(tool: string, args: object): string {
    const call = digest(tool, args);
    const key = this.kept.get(call) ?? randomUUID();
    this.kept.set(call, key);
    return key;
  }

  /** The outcome stays unknown, whatever the same call has come to when it was made at the same time. */
  keep(tool: string, args: object, key: string): void {
    this.kept.set(digest(tool, args), key);
  }

  /** The outcome is known: the same call made again is new work. */
  settle(tool: string, args: object): void {
    this.kept.delete(digest(tool, args));
  }
}

function digest(tool: string, args: object): string {
  return createHash('sha256')
    .update(`${tool}\n${canonicalize(args) ?? ''}`)
    .digest('base64');
}
