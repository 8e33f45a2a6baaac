export { LeavingModule } from './leaving.module';
