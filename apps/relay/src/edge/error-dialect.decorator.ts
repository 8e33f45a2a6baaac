import type { RelayError } from '@agentrelay/protocol';
import { Injectable, type Type } from '@nestjs/common';
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
  return (dialect: Type<ErrorEncoder>): void => {
    Reflect.defineMetadata(ERROR_DIALECT, { name }, dialect);
    Injectable()(dialect);
  };
}
