import { Injectable } from '@nestjs/common';
import { blockedBy } from '../../agents';
import { type Transaction, UnitOfWork } from '../../database';
import type { KeyReservation } from '../../idempotency';
import type { CommandContext } from '../../identity';
import { HandoffLocksRepository } from '../handoff-locks.repository';
import { type ChangedHandoff, HandoffsRepository } from '../handoffs.repository';
import type { LockedHandoff } from '../locked-handoff';
import { lostUpdate, threadNotFound } from '../handoff.errors';
import { checkWrite } from './checks';
import type { ThreadWrite } from './thread-write';

/** Runs every write of a participant's on an existing handoff: lock, checks, one statement that writes. */
@Injectable()
export class ThreadWriter {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly locks: HandoffLocksRepository,
    private readonly handoffs: HandoffsRepository,
  ) {}

  /** The whole write, in a transaction of its own. @throws RelayError thread_not_found, that of the first check that refuses, or state_changed */
  write(
    handoffId: string,
    write: ThreadWrite,
    reservation: KeyReservation | undefined,
    context: CommandContext,
  ): Promise<ChangedHandoff> {
    return this.unitOfWork.run(async (transaction) => {
      const handoff = await this.lock(transaction, handoffId, context);
      return this.change(transaction, handoff, write, reservation, context);
    });
  }

  /** The handoff, locked until the transaction ends. @throws RelayError thread_not_found */
  async lock(transaction: Transaction, handoffId: string, { by }: CommandContext): Promise<LockedHandoff> {
    const handoff = await this.locks.lock(transaction, handoffId, by);
    if (handoff === undefined) throw threadNotFound(handoffId);
    return handoff;
  }

  /** The write to a handoff that is locked already. @throws RelayError of the first check that refuses, or state_changed */
  async change(
    transaction: Transaction,
    handoff: LockedHandoff,
    write: ThreadWrite,
    reservation: KeyReservation | undefined,
    context: CommandContext,
  ): Promise<ChangedHandoff> {
    checkWrite(handoff, write);
    const changed = await this.handoffs.change(transaction, handoff, write, reservation, context);
    if (changed === 'blocked') throw blockedBy(handoff.counterpart.handle);
    if (changed === 'lost') throw lostUpdate();
    return changed;
  }
}
