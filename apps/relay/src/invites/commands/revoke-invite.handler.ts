import { RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { isId } from '../../http';
import { EventLogRepository } from '../../events';
import { IdempotencyService } from '../../idempotency';
import { InvitesRepository } from '../invites.repository';
import { RevokeInvite } from './revoke-invite.command';

@CommandHandler(RevokeInvite)
export class RevokeInviteHandler implements ICommandHandler<RevokeInvite> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly invites: InvitesRepository,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws RelayError not_found when there is no open invite of that id */
  async execute({ jti, context }: RevokeInvite): Promise<void> {
    await this.unitOfWork.run(async (transaction) => {
      if ((await this.idempotency.reserve(transaction, context, 'invite.revoke', { jti })) === 'repeated') return;
      const inviterId = isId(jti) ? await this.invites.revoke(transaction, jti) : undefined;
      if (inviterId === undefined) {
        throw new RelayError('not_found', 'There is no open invite of that jti; GET /admin/invites lists them.');
      }
      await this.events.append(transaction, 'invite.revoked', inviterId, { jti }, context);
    });
  }
}
