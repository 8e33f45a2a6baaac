export { OutcomeUnknown, RelayRefusal } from './errors';
export { RelayClient } from './relay-client';
