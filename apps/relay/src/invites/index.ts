export { InvitesModule } from './invites.module';
