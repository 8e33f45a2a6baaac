import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { DiscoveryModule } from '@nestjs/core';
import { AgentsListMethod } from './methods/agents-list.method';
import { RatesModule } from '../rates';
import { EventsListMethod } from './methods/events-list.method';
import { MessageSendMethod } from './methods/message-send.method';
import { TasksCancelMethod } from './methods/tasks-cancel.method';
import { TasksDraftMethod } from './methods/tasks-draft.method';
import { TasksGetMethod } from './methods/tasks-get.method';
import { TasksListMethod } from './methods/tasks-list.method';
import { TasksUpdateMethod } from './methods/tasks-update.method';
import { RpcController } from './rpc.controller';
import { RpcDispatcher } from './rpc-dispatcher';
import { RpcErrorDialect } from './rpc-error.dialect';
import { RpcRegistry } from './rpc-registry';

/** The native door. Methods are found by their decorator, in this module or any other. */
@Module({
  imports: [CqrsModule, DiscoveryModule, RatesModule],
  controllers: [RpcController],
  providers: [
    AgentsListMethod,
    EventsListMethod,
    MessageSendMethod,
    RpcDispatcher,
    RpcErrorDialect,
    RpcRegistry,
    TasksCancelMethod,
    TasksDraftMethod,
    TasksGetMethod,
    TasksListMethod,
    TasksUpdateMethod,
  ],
  exports: [RpcErrorDialect],
})
export class RpcModule {}
