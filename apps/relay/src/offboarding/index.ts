export { OffboardingModule } from './offboarding.module';
