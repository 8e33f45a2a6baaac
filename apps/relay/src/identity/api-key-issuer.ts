import { LIMITS, type Principal, RelayError } from '@agentrelay/protocol';
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
  /** The key whose holder makes this one. */
  parentId?: string;
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

  /**
   * Gives an agent that is locked, or new, one more key. Where it has as many live keys as it may, those of `givingWay` end at
   * once, in this order, as far as needed; their ids are in `ended`.
   * @throws RelayError conflict when that is not enough
   */
  async issue(
    transaction: Transaction,
    agentId: string,
    terms: KeyTerms,
    givingWay: readonly string[] = [],
  ): Promise<IssuedKey & { ended: string[] }> {
    const ended = await this.makeRoom(transaction, agentId, terms.principal, givingWay);
    const key = newApiKey(this.config.keyPrefix);
    const { pepperId, mac } = this.peppers.seal(key.text);
    const id = uuidv7();
    const { principal, label, expiresAt, parentId = null } = terms;
    const stored = { principal, label, expiresAt, parentId, pepperId, secretMac: mac };
    await this.keys.insert(transaction, { id, publicId: key.publicId, agentId, ...stored });
    return { keyId: id, apiKey: key.text, ended };
  }

  private async makeRoom(
    transaction: Transaction,
    agentId: string,
    principal: Principal,
    givingWay: readonly string[],
  ): Promise<string[]> {
    const ended: string[] = [];
    const left = [...givingWay];
    while (await this.isFull(transaction, agentId, principal)) {
      const next = left.shift();
      if (next === undefined) throw tooManyKeys();
      ended.push(...(await this.keys.revokeAmong(transaction, agentId, [next])));
    }
    return ended;
  }

  /** A person's keys leave room for one of the agent: the way back from a lost key ends the agent's keys only. */
  private async isFull(transaction: Transaction, agentId: string, principal: Principal): Promise<boolean> {
    const { all, human } = await this.keys.countLive(transaction, agentId);
    return all >= LIMITS.liveKeys || (principal === 'human' && human >= LIMITS.liveKeys - 1);
  }
}

function tooManyKeys(): RelayError {
  return new RelayError(
    'conflict',
    `An agent has at most ${LIMITS.liveKeys} live keys, one of them for the agent itself; list them and end one that is not needed.`,
    { field: 'keys', limit: LIMITS.liveKeys },
  );
}
