export { type Extension, loadExtensions } from './load-extensions';
export { register, type DiscoveredProvider, discoverProviders } from './discover-providers';
export { callExtension, EXTENSION_ANSWER_MS, TimedOut, withTimeout } from './with-timeout';
