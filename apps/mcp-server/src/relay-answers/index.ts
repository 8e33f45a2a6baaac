export { CheckedRelay } from './checked-relay';
export { StrangeAnswer } from './shapes';
