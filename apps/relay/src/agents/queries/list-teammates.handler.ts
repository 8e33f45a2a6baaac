import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { AgentsRepository } from '../agents.repository';
import { ListTeammates, type TeammatesPage } from './list-teammates.query';

@QueryHandler(ListTeammates)
export class ListTeammatesHandler implements IQueryHandler<ListTeammates> {
  constructor(private readonly agents: AgentsRepository) {}

  async execute({ filter }: ListTeammates): Promise<TeammatesPage> {
    const found = await this.agents.roster(filter);
    const teammates = filter.limit === undefined ? found : found.slice(0, filter.limit);
    const last = teammates.at(-1);
    return { teammates, nextAfter: found.length > teammates.length && last !== undefined ? last.handle : null };
  }
}
