import { canonicalHandle, RelayError } from '@agentrelay/protocol';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { callExtension, type DiscoveredProvider, discoverProviders } from '../extensions';
import {
  AUTHENTICATION_STRATEGY,
  type CredentialVerifier,
  type PresentedCredentials,
  type ExternalIdentity,
} from './authentication-strategy.decorator';
import type { Caller } from './caller';
import { ExternalIdentitiesRepository } from './external-identities.repository';

/** Asks the registered strategies, in order of names, who makes a request. */
@Injectable()
export class Strategies implements OnModuleInit {
  private strategies: DiscoveredProvider<{ name: string }, CredentialVerifier>[] = [];

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly agents: ExternalIdentitiesRepository,
  ) {}

  onModuleInit(): void {
    this.strategies = discoverProviders(this.discovery, AUTHENTICATION_STRATEGY, 'authentication strategy');
  }

  /**
   * The agent that the first strategy which knows the credentials vouches for; undefined when none does.
   * @throws RelayError unauthenticated, or unavailable when a strategy does not answer in time
   */
  async recognise(presented: PresentedCredentials): Promise<Caller | undefined> {
    for (const { name, instance } of this.strategies) {
      const late = `The authentication strategy ${name} did not answer in time; try again.`;
      const external = await callExtension(() => instance.verify(presented), late, { strategy: name });
      if (external !== undefined) return this.callerFor(name, external);
    }
    return undefined;
  }

  private async callerFor(
    name: string,
    { handle, principal, credentialId, expiresAt }: ExternalIdentity,
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
      externalUntil: expiresAt ?? 'revoked',
    };
  }
}
