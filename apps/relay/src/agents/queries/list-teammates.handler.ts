import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { type AgentsPage, AgentsRepository } from '../agents.repository';
import { ListTeammates } from './list-teammates.query';

@QueryHandler(ListTeammates)
export class ListTeammatesHandler implements IQueryHandler<ListTeammates> {
  constructor(private readonly agents: AgentsRepository) {}

  /** @throws RelayError payload_too_large when the room of a batch is used up; unavailable when too much is in flight */
  execute({ filter, room }: ListTeammates): Promise<AgentsPage> {
    return this.agents.roster(filter, room);
  }
}
