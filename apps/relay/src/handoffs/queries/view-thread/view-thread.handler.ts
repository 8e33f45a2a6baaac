import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { UnitOfWork } from '../../../database';
import type { ThreadView } from '../../handoff.views';
import { ThreadsRepository } from '../../threads.repository';
import { ViewThread } from './view-thread.query';

@QueryHandler(ViewThread)
export class ViewThreadHandler implements IQueryHandler<ViewThread> {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly threads: ThreadsRepository,
  ) {}

  /** @throws RelayError thread_not_found; payload_too_large when a batch has no room left */
  execute({ handoffId, wish, caller, room }: ViewThread): Promise<ThreadView> {
    return this.threads.read(this.unitOfWork, handoffId, caller, wish, room);
  }
}
