import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database';
import { EventLogRepository } from '../events';
import { ApiKeysRepository, Authenticator, type Identity, type CommandContext } from '../identity';

/** Revokes keys, each with its event. */
@Injectable()
export class KeyRevocation {
  constructor(
    private readonly keys: ApiKeysRepository,
    private readonly events: EventLogRepository,
    private readonly authenticator: Authenticator,
  ) {}

  /**
   * Revokes a key of an agent that is locked, with all that it made: also of a key that has ended already, because what it made
   * may live. `spared`, and what that made, stays. Returns the ids that ended, the key itself first.
   */
  async revoke(
    transaction: Transaction,
    agentId: string,
    { keyId, keepDescendants, spared }: { keyId: string; keepDescendants: boolean; spared?: string | undefined },
    context: CommandContext<Identity>,
  ): Promise<string[]> {
    const family = keepDescendants ? [keyId] : await this.keys.familyOf(transaction, agentId, keyId, spared);
    const ended = await this.keys.revokeAmong(transaction, agentId, family);
    for (const id of ended) {
      const payload = id === keyId ? { key_id: id } : { key_id: id, descends_from: keyId };
      await this.events.append(transaction, 'key.revoked', agentId, payload, context);
    }
    return ended;
  }

  /** Once it is committed: stops believing these keys on this replica at once. */
  forget(keyIds: readonly string[]): void {
    for (const keyId of keyIds) this.authenticator.forget(keyId);
  }
}
