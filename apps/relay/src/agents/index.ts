export type { AgentProfile } from './agent-profile';
export { AgentsModule } from './agents.module';
export { AgentsRepository } from './agents.repository';
export { BlocksRepository, type BlockState } from './blocks/blocks.repository';
export { blockedBy, refuseIfBlocked } from './blocks/teammate-blocked';
export { ListTeammates } from './queries/list-teammates.query';
export { recipientNotFound } from './recipient-not-found';
