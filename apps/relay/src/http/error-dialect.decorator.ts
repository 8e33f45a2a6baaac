import type { RelayError } from '@agentrelay/protocol';
import { register } from '../extensions';
import type { FastifyRequest } from 'fastify';
import type { ErrorAnswer } from './rest-errors';

/** How an API with an error shape of its own answers on the paths it owns. */
export interface ErrorEncoder {
  owns(request: FastifyRequest): boolean;
  encode(error: RelayError, request: FastifyRequest): ErrorAnswer;
}

export const ERROR_DIALECT = Symbol('error dialect');

/** Registers a class as the error dialect of an API. The class is a provider of its module; nothing else names it. */
export function ErrorDialect(name: string) {
  return register<ErrorEncoder>(ERROR_DIALECT, { name });
}
