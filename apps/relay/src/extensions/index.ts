export { type Extension, loadExtensions } from './load-extensions';
export { type Registered, registered } from './registered';
export { TimedOut, within } from './within';
