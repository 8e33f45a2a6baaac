export { EventWatcher } from './event-watcher';
export { ResourceReader } from './resource-reader';
export { Resources } from './resources';
