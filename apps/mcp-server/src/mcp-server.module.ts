import { type DynamicModule, Module } from '@nestjs/common';
import type { Environment } from './config';
import { McpServerFactory } from './mcp-server';
import { PendingKeys } from './pending-keys';
import { ENVIRONMENT, RelaySession } from './relay-session';
import { ToolRunner } from './tool-runner';

/** One developer's side: no listener, no state but a session id and the keys of calls in doubt. */
@Module({})
export class McpServerModule {
  static forEnvironment(environment: Environment): DynamicModule {
    return {
      module: McpServerModule,
      providers: [
        { provide: ENVIRONMENT, useValue: environment },
        McpServerFactory,
        PendingKeys,
        RelaySession,
        ToolRunner,
      ],
    };
  }
}
