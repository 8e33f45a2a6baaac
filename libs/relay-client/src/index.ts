export { OutcomeUnknown, RelayRefusal, Unreachable } from './errors';
export { mintInvite, redeemInvite, registerAgent } from './newcomers';
export { proxyFor, shownProxy } from './proxy';
export { RelayClient } from './relay-client';
export type { RpcMethods } from './rpc-methods';
