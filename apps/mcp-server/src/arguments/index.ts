export { readArguments } from './read-arguments';
