import { RelayError } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '../database';
import { ApiKeysRepository, type LivingKey } from './api-keys.repository';
import { notAccepted } from './authenticator';
import type { Caller } from './caller';

/**
 * Makes sure, inside the transaction of a command that makes or ends credentials, that the credential it is called with still
 * works. What authentication established may be a second old by then: a key that was revoked meanwhile must not buy another.
 */
@Injectable()
export class CallingKey {
  constructor(private readonly keys: ApiKeysRepository) {}

  /**
   * For a write that changes no credentials: keeps the agent from being disabled until the transaction ends.
   * @throws RelayError unauthenticated when the credential no longer works
   */
  async hold(transaction: Transaction, caller: Caller): Promise<void> {
    await this.keys.holdAgent(transaction, caller.agentId);
    await this.ensureLives(transaction, caller);
  }

  /** As `hold`, of an agent that is locked already. @throws RelayError unauthenticated */
  async ensureLives(transaction: Transaction, caller: Caller): Promise<void> {
    if (!(await this.keys.isLiving(transaction, caller))) throw notAccepted();
  }

  /**
   * Locks the agent, then the key.
   * @throws RelayError unauthenticated when either is dead, forbidden for a credential that is no key of this relay
   */
  async lock(transaction: Transaction, caller: Caller): Promise<LivingKey> {
    if (caller.externalUntil !== undefined) {
      throw new RelayError(
        'forbidden',
        'This request carries no API key of this relay: it can neither make nor end one. Renew the credential where you got it.',
      );
    }
    const active = await this.keys.lockAgent(transaction, caller.agentId);
    const key = active ? await this.keys.lockLiving(transaction, caller.agentId, caller.keyId) : undefined;
    if (key === undefined) throw notAccepted();
    return key;
  }
}

/** An administrator's rotation lets this key end: what it made or ended meanwhile would undo that. */
export function refuseSuperseded(key: LivingKey): void {
  if (!key.superseded) return;
  throw new RelayError(
    'conflict',
    'An administrator has replaced this key, and it ends soon. Use the new key; ask your administrator for it.',
    { field: 'key' },
  );
}
