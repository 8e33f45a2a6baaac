import { createHash } from 'node:crypto';
import { RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { publicIdOf } from './api-key-format';
import { ApiKeysRepository } from './api-keys.repository';
import type { Caller } from './caller';
import { LastUses } from './last-uses';
import { Peppers } from './peppers';
import { ExternalIdentitiesRepository } from './external-identities.repository';

/** Revocation must hold everywhere within a second, so nothing is cached longer than this. */
const CACHED_MS = 900;
const MAX_CACHED_KEYS = 10_000;

/** Establishes which agent a presented API key speaks for. */
@Injectable()
export class Authenticator {
  private readonly cached = new LRUCache<string, Caller>({ max: MAX_CACHED_KEYS, ttl: CACHED_MS });

  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly peppers: Peppers,
    private readonly external: ExternalIdentitiesRepository,
    private readonly lastUses: LastUses,
  ) {}

  /** @throws RelayError unauthenticated, saying whether the key is mistyped or not accepted */
  async authenticate(apiKey: string): Promise<Caller> {
    const digest = createHash('sha256').update(apiKey).digest('base64');
    const known = this.cached.get(digest);
    if (known !== undefined) return known;
    const asked = performance.now();
    const caller = await this.look(apiKey);
    // The key may have ended the moment after the database looked, however long its answer took.
    const ttl = Math.floor(CACHED_MS - (performance.now() - asked));
    if (ttl > 0) this.cached.set(digest, caller, { ttl });
    return caller;
  }

  /**
   * Makes sure, for whoever holds a connection open, that its key still works, and returns for how many milliseconds it will
   * unless it is revoked: when that time is over, or the agent's keys change, it has to ask again.
   * @throws RelayError unauthenticated
   */
  async ensureLive({ keyId, agentId, externalUntil }: Caller): Promise<number> {
    if (externalUntil !== undefined) return this.externalTime(agentId, externalUntil);
    const left = await this.keys.lifeLeft(keyId);
    if (left === undefined) throw notAccepted();
    return left ?? Number.POSITIVE_INFINITY;
  }

  private async externalTime(agentId: string, until: Date | 'revoked'): Promise<number> {
    const left = until === 'revoked' ? Number.POSITIVE_INFINITY : until.getTime() - Date.now();
    if (left <= 0 || !(await this.external.isActive(agentId))) throw notAccepted();
    return left;
  }

  /** Stops believing a key on this replica at once; the others follow within a second. */
  forget(keyId: string): void {
    for (const [digest, caller] of this.cached.entries()) {
      if (caller.keyId === keyId) this.cached.delete(digest);
    }
  }

  private async look(apiKey: string): Promise<Caller> {
    const publicId = publicIdOf(apiKey);
    if (publicId === undefined) {
      throw new RelayError(
        'unauthenticated',
        'This is not an AgentRelay key (its checksum is wrong); copy it again as a whole.',
      );
    }
    const found = await this.keys.findCredential(publicId);
    const genuine =
      found !== undefined && this.peppers.verify(apiKey, { pepperId: found.pepper_id, mac: found.secret_mac });
    if (!genuine || !found.usable) {
      throw notAccepted();
    }
    if (found.use_is_stale) this.lastUses.note(found.key_id);
    return {
      kind: 'caller',
      agentId: found.agent_id,
      handle: found.handle,
      principal: found.principal,
      keyId: found.key_id,
    };
  }
}

export function notAccepted(): RelayError {
  return new RelayError(
    'unauthenticated',
    'The key is not accepted (unknown, expired or revoked); ask an administrator for a new one.',
  );
}
