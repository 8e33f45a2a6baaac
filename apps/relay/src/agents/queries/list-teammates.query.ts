import { Query } from '@nestjs/cqrs';
import type { AnswerRoom } from '../../http';
import type { AgentsPage, RosterFilter } from '../agents.repository';

/** The active agents of the team: as many as the limit says, and no more than have room. */
export class ListTeammates extends Query<AgentsPage> {
  constructor(
    readonly filter: RosterFilter,
    readonly room: AnswerRoom,
  ) {
    super();
  }
}
