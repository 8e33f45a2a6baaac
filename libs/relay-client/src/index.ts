export { OutcomeUnknown, RelayRefusal } from './errors';
export { RelayClient, type RelayClientOptions } from './relay-client';
export type { RpcMethods } from './rpc-methods';
