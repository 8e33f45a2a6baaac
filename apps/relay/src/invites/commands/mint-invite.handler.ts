import { canonicalHandle, HANDLE_PATTERN, handleFault, RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import { agentDisabled, AgentsRepository, recipientNotFound } from '../../agents';
import { IdentityConfig } from '../../config';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { IdempotencyService } from '../../idempotency';
import { Peppers } from '../../identity';
import { inviteFragment, newInviteSecret } from '../invite-token';
import { InvitesRepository } from '../invites.repository';
import { MintInvite, type MintedInvite } from './mint-invite.command';

@CommandHandler(MintInvite)
export class MintInviteHandler implements ICommandHandler<MintInvite> {
  constructor(
    private readonly config: IdentityConfig,
    private readonly unitOfWork: UnitOfWork,
    private readonly agents: AgentsRepository,
    private readonly invites: InvitesRepository,
    private readonly peppers: Peppers,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws RelayError invalid_params, conflict while the handle's agent is disabled, recipient_not_found for the inviter */
  async execute({ invite, context }: MintInvite): Promise<MintedInvite> {
    const handle = canonicalHandle(invite.handle);
    const agent = HANDLE_PATTERN.test(handle) ? await this.agents.find(handle) : undefined;
    const fault = agent === undefined ? handleFault(handle, this.config.team) : undefined;
    if (fault !== undefined) throw new RelayError('invalid_params', `handle ${fault}.`, { field: 'handle' });
    const inviter = await this.agents.find(invite.inviterHandle);
    if (inviter === undefined) throw recipientNotFound(invite.inviterHandle);
    const jti = uuidv7();
    const secret = newInviteSecret();
    return this.unitOfWork.run(async (transaction) => {
      const active = await this.agents.holdActive(transaction, [inviter, ...(agent === undefined ? [] : [agent])]);
      if (!active.has(inviter.agentId)) throw recipientNotFound(invite.inviterHandle);
      if (agent !== undefined && !active.has(agent.agentId)) throw agentDisabled(handle);
      await this.idempotency.reserveForCredential(transaction, context, 'invite.mint', invite);
      const expiresAt = await this.invites.insert(transaction, {
        jti,
        handle,
        agentId: agent?.agentId,
        role: agent === undefined ? invite.role : '',
        inviterId: inviter.agentId,
        email: agent === undefined ? invite.email : undefined,
        sealed: this.peppers.seal(secret),
        expiresInSeconds: invite.expiresInSeconds,
      });
      await this.events.append(transaction, 'invite.minted', inviter.agentId, { jti }, context);
      const fragment = inviteFragment(jti, inviter.handle, secret);
      return { jti, fragment, expiresAt, replacesKeys: agent !== undefined };
    });
  }
}
