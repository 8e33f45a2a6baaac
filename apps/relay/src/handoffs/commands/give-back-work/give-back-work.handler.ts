import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../../database';
import { GIVE_BACK_BATCH, OpenWorkRepository } from '../../open-work.repository';
import { GiveBackWork } from './give-back-work.command';

@CommandHandler(GiveBackWork)
export class GiveBackWorkHandler implements ICommandHandler<GiveBackWork> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly openWork: OpenWorkRepository,
  ) {}

  async execute({ recipientId, requestId }: GiveBackWork): Promise<void> {
    let given: number;
    do {
      given = await this.unitOfWork.run((transaction) => this.openWork.giveBack(transaction, recipientId, requestId));
    } while (given === GIVE_BACK_BATCH);
  }
}
