import type { Environment } from '@agentrelay/workstation';
import { type DynamicModule, Module } from '@nestjs/common';
import { CallLedger } from './call-ledger';
import { ENVIRONMENT } from './environment';
import { McpServerFactory } from './mcp-server';
import { PendingKeys } from './pending-keys';
import { RelaySession } from './relay-session';
import { EventWatcher, ResourceReader, Resources } from './resources';
import { ToolRunner } from './tool-runner';
import { TrustSource } from './trust';

/** One developer's side: no listener, no state but a session id and the keys of calls in doubt. */
@Module({})
export class McpServerModule {
  static forEnvironment(environment: Environment): DynamicModule {
    return {
      module: McpServerModule,
      providers: [
        { provide: ENVIRONMENT, useValue: environment },
        CallLedger,
        McpServerFactory,
        PendingKeys,
        RelaySession,
        EventWatcher,
        ResourceReader,
        Resources,
        ToolRunner,
        TrustSource,
      ],
    };
  }
}
