import { canonicalHandle, RelayError } from '@agentrelay/protocol';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type Registered, registered, TimedOut, within } from '../extensions';
import {
  AUTHENTICATION_STRATEGY,
  type CredentialVerifier,
  type PresentedCredentials,
  type VouchedIdentity,
} from './authentication-strategy.decorator';
import type { Caller } from './caller';
import { VouchedAgentsRepository } from './vouched-agents.repository';

const TIME_LIMIT_MS = 2_000;

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
      const vouched = await this.ask(name, instance, presented);
      if (vouched !== undefined) return this.callerFor(name, vouched);
    }
    return undefined;
  }

  private async ask(
    name: string,
    strategy: CredentialVerifier,
    presented: PresentedCredentials,
  ): Promise<VouchedIdentity | undefined> {
    try {
      return await within(TIME_LIMIT_MS, () => strategy.verify(presented));
    } catch (error) {
      if (!(error instanceof TimedOut)) throw error;
      const message = `The authentication strategy ${name} did not answer in time; try again.`;
      throw new RelayError('unavailable', message, { strategy: name }, { cause: error });
    }
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
