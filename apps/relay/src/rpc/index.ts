export { RpcErrorDialect } from './rpc-error.dialect';
export { RpcRegistry } from './rpc-registry';
export { RPC_PATH } from './rpc.controller';
export { RpcModule } from './rpc.module';
