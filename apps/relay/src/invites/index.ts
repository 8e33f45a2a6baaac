export { InvitesModule } from './invites.module';
export { InvitesRepository } from './invites.repository';
