export { MethodParams, TaskParams } from './method.params';
export { PageParams } from './page.params';
export { RpcCalls } from './rpc-calls';
export { type RpcHandler, RpcMethod, type RpcMethodOptions } from './rpc-method.decorator';
export { RpcRegistry } from './rpc-registry';
export { RpcModule } from './rpc.module';
export {
  TaskTransition,
  type TaskTransitionOptions,
  type TransitionHandler,
} from './transitions/task-transition.decorator';
export { TransitionParams } from './transitions/transition.params';
export { TransitionRegistry } from './transitions/transition-registry';
