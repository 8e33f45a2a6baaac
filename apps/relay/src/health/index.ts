export { type HealthCheck, HealthIndicator } from './health-indicator.decorator';
export { HealthModule } from './health.module';
export { Readiness } from './readiness';
