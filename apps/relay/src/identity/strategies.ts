import { canonicalHandle, RelayError } from '@agentrelay/protocol';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { askedInTime, type Registered, registered } from '../extensions';
import {
  AUTHENTICATION_STRATEGY,
  type CredentialVerifier,
  type PresentedCredentials,
  type VouchedIdentity,
} from './authentication-strategy.decorator';
import type { Caller } from './caller';
import { VouchedAgentsRepository } from './vouched-agents.repository';

/** Asks the registered strategies, in order of names, who makes a request. */
@Injectable()
export class Strategies implements OnModuleInit {
  private strategies: Registered<{ name: string }, CredentialVerifier>[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly agents: VouchedAgentsRepository,
  ) {}

  onModuleInit(): void {
    this.strategies = registered(this.discovery, AUTHENTICATION_STRATEGY, 'authentication strategy');
  }

  /**
   * The agent that the first strategy which knows the credentials vouches for; undefined when none does.
   * @throws RelayError unauthenticated, or unavailable when a strategy does not answer in time
   */
  async recognise(presented: PresentedCredentials): Promise<Caller | undefined> {
    for (const { name, instance } of this.strategies) {
      const late = `The authentication strategy ${name} did not answer in time; try again.`;
      const vouched = await askedInTime(() => instance.verify(presented), late, { strategy: name });
      if (vouched !== undefined) return this.callerFor(name, vouched);
    }
    return undefined;
  }

  private async callerFor(
    name: string,
    { handle, principal, credentialId, expiresAt }: VouchedIdentity,
  ): Promise<Caller> {
    const agent = await this.agents.findActive(canonicalHandle(handle));
    if (agent === undefined) {
      throw new RelayError(
        'unauthenticated',
        `You are known, but no active agent of this relay is ${handle}; ask an administrator.`,
      );
    }
    return {
      kind: 'caller',
      agentId: agent.id,
      handle: agent.handle,
      principal,
      keyId: `${name}:${credentialId}`,
      vouchedUntil: expiresAt ?? 'revoked',
    };
  }
}
