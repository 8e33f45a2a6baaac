import type { Principal } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import { IdentityConfig } from '../config';
import type { Transaction } from '../database';
import { newApiKey } from './api-key-format';
import { ApiKeysRepository } from './api-keys.repository';
import { Peppers } from './peppers';

export interface KeyTerms {
  principal: Principal;
  label: string;
  expiresAt: Date | null;
}

export interface IssuedKey {
  keyId: string;
  /** The credential itself: given to the caller once and kept nowhere. */
  apiKey: string;
}

/** Makes API keys and stores what verifies them. */
@Injectable()
export class ApiKeyIssuer {
  constructor(
    private readonly config: IdentityConfig,
    private readonly peppers: Peppers,
    private readonly keys: ApiKeysRepository,
  ) {}

  async issue(transaction: Transaction, agentId: string, terms: KeyTerms): Promise<IssuedKey> {
    const key = newApiKey(this.config.keyPrefix);
    const { pepperId, mac } = this.peppers.seal(key.text);
    const id = uuidv7();
    await this.keys.insert(transaction, { id, publicId: key.publicId, agentId, pepperId, secretMac: mac, ...terms });
    return { keyId: id, apiKey: key.text };
  }
}
