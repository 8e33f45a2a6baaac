export { createDatabase, TestDatabase } from './test-database';
export { type Answer, restCall, TestAgent, text } from './test-agent';
export { TEST_ADMIN_TOKEN, testSettings, useRelay, useReplicas } from './test-relay';
export { eventually } from './eventually';
export { MCP_SERVER, McpSession } from './mcp-session';
export { ChildProgram } from './child-program';
export { freePort } from './free-port';
export { EventStreamReader } from './event-stream-reader';
