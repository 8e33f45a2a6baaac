export * from './artifacts';
export * from './errors';
export * from './handles';
export * from './limits';
export * from './relay-address';
export * from './text';
export * from './vocabulary';
export * from './wire';
