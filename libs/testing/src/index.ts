export { createDatabase, TestDatabase, workerDatabase } from './test-database';
export { type Answer, type Refusal, restCall, TestAgent, text } from './test-agent';
export { TEST_ADMIN_TOKEN, TestRelay, testSettings, useRelay, useReplicas } from './test-relay';
export { eventually } from './eventually';
export { MCP_SERVER, McpSession, type ToolResult } from './mcp-session';
export { ChildProgram } from './child-program';
export { freePort } from './free-port';
