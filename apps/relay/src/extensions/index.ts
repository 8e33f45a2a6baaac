export { type Extension, loadExtensions } from './load-extensions';
export { register, type Registered, registered } from './registered';
export { askedInTime, EXTENSION_ANSWER_MS, TimedOut, within } from './within';
