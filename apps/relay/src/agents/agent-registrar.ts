import { canonicalHandle } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import { v7 as uuidv7 } from 'uuid';
import type { Transaction } from '../database';
import { ApiKeyIssuer, type Caller } from '../identity';
import type { CardContent } from './agent-profile';
import { AgentsRepository } from './agents.repository';

export interface NewcomerProfile extends CardContent {
  /** A handle that may be registered. */
  handle: string;
  email: string | undefined;
  displayName: string;
  role: string;
}

export interface RegisteredAgent {
  agentId: string;
  handle: string;
  /** Shown once. */
  apiKey: string;
  keyId: string;
  /** The new agent as a caller. */
  newcomer: Caller;
}

/** Makes an agent with its owner, card and first key, in the caller's transaction. */
@Injectable()
export class AgentRegistrar {
  constructor(
    private readonly agents: AgentsRepository,
    private readonly keys: ApiKeyIssuer,
  ) {}

  /** @throws RelayError conflict when the handle is taken */
  async register(transaction: Transaction, profile: NewcomerProfile): Promise<RegisteredAgent> {
    const agentId = uuidv7();
    const handle = canonicalHandle(profile.handle);
    const ownerId = await this.agents.ownerOf(transaction, uuidv7(), profile.email, profile.displayName);
    await this.agents.insert(transaction, { ...profile, id: agentId, ownerId, handle, card: profile });
    const terms = { principal: 'agent', label: 'first key', expiresAt: null } as const;
    const { keyId, apiKey } = await this.keys.issue(transaction, agentId, terms);
    const newcomer: Caller = { kind: 'caller', agentId, handle, principal: 'agent', keyId };
    return { agentId, handle, apiKey, keyId, newcomer };
  }
}
