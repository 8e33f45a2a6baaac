import { Command } from '@nestjs/cqrs';

/** Ends all open work of a recipient who has left, and tells its senders so. Can be repeated. */
export class GiveBackWork extends Command<void> {
  constructor(
    readonly recipientId: string,
    readonly requestId: string,
  ) {
    super();
  }
}
