import { RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { AgentRegistrar, type RegisteredAgent } from '../../agents';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { Peppers } from '../../identity';
import { InvitesRepository } from '../invites.repository';
import { RedeemInvite } from './redeem-invite.command';

@CommandHandler(RedeemInvite)
export class RedeemInviteHandler implements ICommandHandler<RedeemInvite> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly invites: InvitesRepository,
    private readonly peppers: Peppers,
    private readonly registrar: AgentRegistrar,
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
    return this.unitOfWork.run(async (transaction) => {
      const { handle, role, email } = invite;
      const agent = { handle, role, email: email ?? undefined, displayName: displayName ?? handle };
      const registered = await this.registrar.register(transaction, {
        ...agent,
        description: '',
        skills: [],
        reposOwned: [],
      });
      if (!(await this.invites.redeem(transaction, jti, registered.agentId))) throw inviteExpired();
      const invocation = { by: registered.newcomer, requestId };
      await this.events.append(
        transaction,
        'invite.redeemed',
        registered.agentId,
        { jti, key_id: registered.keyId },
        invocation,
      );
      return registered;
    });
  }
}

function inviteExpired(): RelayError {
  return new RelayError('invite_expired', 'The invite was used, withdrawn or has expired; ask for a new one.');
}
