import { canonicalHandle, handleFault, RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import { AgentsRepository, handleTaken, recipientNotFound } from '../../agents';
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

  /** @throws RelayError invalid_params, conflict when the handle is taken, recipient_not_found for the inviter */
  async execute({ invite, invocation }: MintInvite): Promise<MintedInvite> {
    const fault = handleFault(invite.handle, this.config.team);
    if (fault !== undefined) throw new RelayError('invalid_params', `handle ${fault}.`, { field: 'handle' });
    if ((await this.agents.find(canonicalHandle(invite.handle))) !== undefined) throw handleTaken(invite.handle);
    const inviter = await this.agents.find(invite.inviterHandle);
    if (inviter?.status !== 'active') throw recipientNotFound(invite.inviterHandle);
    const jti = uuidv7();
    const secret = newInviteSecret();
    return this.unitOfWork.run(async (transaction) => {
      await this.idempotency.claimCredential(transaction, invocation, 'invite.mint', invite);
      const expiresAt = await this.invites.insert(transaction, {
        jti,
        handle: canonicalHandle(invite.handle),
        role: invite.role,
        inviterId: inviter.agentId,
        email: invite.email,
        sealed: this.peppers.seal(secret),
        expiresInSeconds: invite.expiresInSeconds,
      });
      await this.events.append(transaction, 'invite.minted', inviter.agentId, { jti }, invocation);
      return { jti, fragment: inviteFragment(jti, inviter.handle, secret), expiresAt };
    });
  }
}
