import { Query } from '@nestjs/cqrs';
import type { AgentProfile } from '../agent-profile';
import type { RosterFilter } from '../agents.repository';

export interface TeammatesPage {
  teammates: AgentProfile[];
  /** The handle to go on after, when there are more. */
  nextAfter: string | null;
}

/** The active agents of the team; all of them when no limit is given. */
export class ListTeammates extends Query<TeammatesPage> {
  constructor(readonly filter: RosterFilter) {
    super();
  }
}
