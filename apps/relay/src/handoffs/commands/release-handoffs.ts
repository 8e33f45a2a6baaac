import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { GIVE_BACK_BATCH, OpenWorkRepository } from '../open-work.repository';

/** Ends all open work of a recipient who has left, and tells its senders so. Can be repeated. */
export class GiveBackWork extends Command<void> {
  constructor(
    readonly recipientId: string,
    readonly requestId: string,
  ) {
    super();
  }
}

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
