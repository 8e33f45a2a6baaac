/** Injects the process's environment. */
export const ENVIRONMENT = Symbol('environment');
