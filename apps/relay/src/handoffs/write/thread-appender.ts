import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../database';
import { type KeyReservation, IdempotencyService, type RememberedWrite } from '../../idempotency';
import type { CommandContext } from '../../identity';
import type { AppendedMessage } from '../handoff.views';
import { HandoffsRepository } from '../handoffs.repository';
import { threadNotFound } from '../handoff.errors';
import type { ThreadWrite } from './thread-write';
import { ThreadWriter } from './thread-writer';

/** A write whose message is what it is done for. */
export type Append = ThreadWrite & Required<Pick<ThreadWrite, 'message'>>;

/** Adds what a participant says to a live thread, numbered without gaps. */
@Injectable()
export class ThreadAppender {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly idempotency: IdempotencyService,
    private readonly writer: ThreadWriter,
    private readonly handoffs: HandoffsRepository,
  ) {}

  async append(
    handoffId: string,
    append: Append,
    reservation: KeyReservation | undefined,
    context: CommandContext,
  ): Promise<AppendedMessage> {
    return this.idempotency.executeIdempotent(
      reservation,
      () => this.write(handoffId, append, reservation, context),
      (remembered) => this.replay(remembered),
    );
  }

  private async write(
    handoffId: string,
    append: Append,
    reservation: KeyReservation | undefined,
    context: CommandContext,
  ): Promise<AppendedMessage> {
    const changed = await this.writer.write(handoffId, append, reservation, context);
    return {
      handoffId: changed.id,
      messageId: append.message.id,
      sequenceNo: changed.sequence_no,
      createdAt: changed.updated_at,
      replayed: false,
    };
  }

  private async replay(remembered: RememberedWrite): Promise<AppendedMessage> {
    const { handoff_id: handoffId, sequence_no: sequenceNo, created_at: createdAt } = remembered;
    const messageId = await this.unitOfWork.run((transaction) =>
      this.handoffs.messageId(transaction, handoffId, sequenceNo),
    );
    if (messageId === undefined) throw threadNotFound(handoffId);
    return { handoffId, messageId, sequenceNo, createdAt, replayed: true };
  }
}
