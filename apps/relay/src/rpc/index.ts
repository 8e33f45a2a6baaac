export { RPC_PATH } from './rpc.controller';
export { RpcErrorDialect } from './rpc-error.dialect';
export { RpcMethod, type RpcHandler } from './rpc-method.decorator';
export { RpcModule } from './rpc.module';
