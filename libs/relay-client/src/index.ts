export { OutcomeUnknown, RelayRefusal, Unreachable } from './errors';
export { mintInvite, redeemInvite, registerAgent } from './admin-client';
export { proxyFor, shownProxy } from './proxy';
export { RelayClient } from './relay-client';
export type { RpcMethods } from './rpc-methods';
