export { MethodParams, TaskParams } from './method.params';
export { PageParams } from './page.params';
export { RpcCalls } from './rpc-calls';
export { RpcErrorDialect } from './rpc-error.dialect';
export { type RpcHandler, RpcMethod, type RpcMethodOptions } from './rpc-method.decorator';
export { RpcRegistry } from './rpc-registry';
export { RpcModule } from './rpc.module';
