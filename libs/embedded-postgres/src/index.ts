export { EmbeddedPostgresError } from './errors';
export { startEmbeddedPostgres } from './launcher';
export type { EmbeddedPostgres } from './launcher';
