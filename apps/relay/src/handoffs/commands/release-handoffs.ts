import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../database';
import { GIVE_BACK_BATCH, OpenHandoffsRepository } from '../open-handoffs.repository';

/** Ends all open work of a recipient who has left, and tells its senders so. Can be repeated. */
export class ReleaseHandoffs extends Command<void> {
  constructor(
    readonly recipientId: string,
    readonly requestId: string,
  ) {
    super();
  }
}

@CommandHandler(ReleaseHandoffs)
export class ReleaseHandoffsHandler implements ICommandHandler<ReleaseHandoffs> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly openWork: OpenHandoffsRepository,
  ) {}

  async execute({ recipientId, requestId }: ReleaseHandoffs): Promise<void> {
    let given: number;
    do {
      given = await this.unitOfWork.run((transaction) => this.openWork.giveBack(transaction, recipientId, requestId));
    } while (given === GIVE_BACK_BATCH);
  }
}
