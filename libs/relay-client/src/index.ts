export { OutcomeUnknown, RelayRefusal, Unreachable } from './errors';
export { mintInvite, redeemInvite, registerAgent } from './newcomers';
export { RelayClient } from './relay-client';
