import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { CqrsModule } from '@nestjs/cqrs';
import { RateLimitingModule } from '../rate-limiting';
import { AgentsListMethod } from './methods/agents-list.method';
import { EventsListMethod } from './methods/events-list.method';
import { MessageSendMethod } from './methods/message-send.method';
import { TasksCancelMethod } from './methods/tasks-cancel.method';
import { TasksDraftMethod } from './methods/tasks-draft.method';
import { TasksGetMethod } from './methods/tasks-get.method';
import { TasksListMethod } from './methods/tasks-list.method';
import { TasksUpdateMethod } from './methods/tasks-update.method';
import { RpcCalls } from './rpc-calls';
import { RpcDispatcher } from './rpc-dispatcher';
import { RpcErrorDialect } from './rpc-error.dialect';
import { RpcRegistry } from './rpc-registry';
import { RpcController } from './rpc.controller';
import { AcceptTransition } from './transitions/accept.transition';
import { CancelTransition } from './transitions/cancel.transition';
import { CompleteTransition } from './transitions/complete.transition';
import { TransitionRegistry } from './transitions/transition-registry';

/** The native API. Methods are found by their decorator, in this module or any other. */
@Module({
  imports: [CqrsModule, DiscoveryModule, RateLimitingModule],
  controllers: [RpcController],
  providers: [
    AcceptTransition,
    AgentsListMethod,
    CancelTransition,
    CompleteTransition,
    EventsListMethod,
    MessageSendMethod,
    RpcCalls,
    RpcDispatcher,
    RpcErrorDialect,
    RpcRegistry,
    TasksCancelMethod,
    TasksDraftMethod,
    TasksGetMethod,
    TasksListMethod,
    TasksUpdateMethod,
    TransitionRegistry,
  ],
  exports: [RpcCalls],
})
export class RpcModule {}
