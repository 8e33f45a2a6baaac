export { createDatabase, TestDatabase, workerDatabase } from './test-database';
export { type Answer, TestAgent } from './test-agent';
export { TestRelay, useRelay } from './test-relay';
export { eventually } from './eventually';
