export { RPC_PATH } from './rpc.controller';
export { RpcErrorDialect } from './rpc-error.dialect';
export { RpcModule } from './rpc.module';
export { RpcRegistry } from './rpc-registry';
