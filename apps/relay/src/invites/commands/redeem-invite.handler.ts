import { RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AgentRegistrar, type RegisteredAgent } from '../../agents';
import { type Transaction, UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { ApiKeyIssuer, ApiKeysRepository, Authenticator, type Caller, Peppers } from '../../identity';
import { InvitesRepository, type StoredInvite } from '../invites.repository';
import { RedeemInvite } from './redeem-invite.command';

@CommandHandler(RedeemInvite)
export class RedeemInviteHandler implements ICommandHandler<RedeemInvite> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly invites: InvitesRepository,
    private readonly peppers: Peppers,
    private readonly registrar: AgentRegistrar,
    private readonly keys: ApiKeysRepository,
    private readonly issuer: ApiKeyIssuer,
    private readonly authenticator: Authenticator,
    private readonly events: EventLogRepository,
  ) {}

  /** @throws RelayError invalid_invite, invite_expired, conflict when the handle was taken meanwhile */
  async execute({ jti, token, displayName, requestId }: RedeemInvite): Promise<RegisteredAgent> {
    const invite = await this.invites.find(jti);
    const genuine =
      invite !== undefined && this.peppers.verify(token, { pepperId: invite.pepperId, mac: invite.secretMac });
    if (!genuine)
      throw new RelayError('invalid_invite', 'This is not a valid invite; paste the whole link that you were given.');
    if (!invite.open) throw inviteExpired();
    const { registered, ended } = await this.unitOfWork
      .run((transaction) =>
        invite.agentId === null
          ? this.registerNewcomer(transaction, invite, displayName, requestId)
          : this.replaceKeys(transaction, invite, invite.agentId, requestId),
      )
      .catch(async (error: unknown) => {
        // Whoever was faster with the same invite has taken the handle.
        if (isTaken(error) && (await this.invites.find(jti))?.open === false) throw inviteExpired();
        throw error;
      });
    for (const keyId of ended) this.authenticator.forget(keyId);
    return registered;
  }

  private async registerNewcomer(
    transaction: Transaction,
    { jti, handle, role, email }: StoredInvite,
    displayName: string | undefined,
    requestId: string,
  ): Promise<Redemption> {
    const profile = { handle, role, email: email ?? undefined, displayName: displayName ?? handle };
    const registered = await this.registrar.register(transaction, {
      ...profile,
      description: '',
      skills: [],
      reposOwned: [],
    });
    if (!(await this.invites.redeem(transaction, jti, registered.agentId))) throw inviteExpired();
    const { agentId, keyId, newcomer: by } = registered;
    await this.events.append(transaction, 'agent.registered', agentId, { key_id: keyId }, { by, requestId });
    await this.events.append(transaction, 'invite.redeemed', agentId, { jti, key_id: keyId }, { by, requestId });
    return { registered, ended: [] };
  }

  /** The way back from a lost or stolen key: the agent's keys end, and other invites to one; those of its person stay. */
  private async replaceKeys(
    transaction: Transaction,
    { jti, handle }: StoredInvite,
    agentId: string,
    requestId: string,
  ): Promise<Redemption> {
    const active = await this.keys.lockAgent(transaction, agentId);
    if (!active || !(await this.invites.redeem(transaction, jti, agentId))) throw inviteExpired();
    const ended = await this.keys.revokeAll(transaction, agentId, { principal: 'agent' });
    const terms = { principal: 'agent', label: 'by invite', expiresAt: null } as const;
    const { keyId, apiKey } = await this.issuer.issue(transaction, agentId, terms);
    const newcomer: Caller = { kind: 'caller', agentId, handle, principal: 'agent', keyId };
    const context = { by: newcomer, requestId };
    for (const id of ended) await this.events.append(transaction, 'key.revoked', agentId, { key_id: id }, context);
    await this.events.append(transaction, 'key.issued', agentId, { key_id: keyId, principal: 'agent' }, context);
    await this.events.append(transaction, 'invite.redeemed', agentId, { jti, key_id: keyId }, context);
    for (const other of await this.invites.revokeReturns(transaction, agentId)) {
      await this.events.append(transaction, 'invite.revoked', other.inviterId, { jti: other.jti }, context);
    }
    return { registered: { agentId, handle, apiKey, keyId, newcomer }, ended };
  }
}

interface Redemption {
  registered: RegisteredAgent;
  /** Ids of keys that ended. */
  ended: readonly string[];
}

function isTaken(error: unknown): boolean {
  return error instanceof RelayError && error.symbol === 'conflict';
}

function inviteExpired(): RelayError {
  return new RelayError('invite_expired', 'The invite was used, withdrawn or has expired; ask for a new one.');
}
