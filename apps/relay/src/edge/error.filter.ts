import type { RelayError } from '@agentrelay/protocol';
import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { toRelayError } from './to-relay-error';

/** How a door with an error shape of its own answers on the paths it owns. */
export interface ErrorDialect {
  owns(request: FastifyRequest): boolean;
  body(error: RelayError, request: FastifyRequest): object;
}

export const ERROR_DIALECTS = Symbol('error dialects');

/** Seconds after which a client may try an unavailable relay again. */
const RETRY_AFTER_SECONDS = 1;

/** The one place where errors become HTTP answers. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly logger = new Logger(ErrorFilter.name);

  constructor(@Inject(ERROR_DIALECTS) private readonly dialects: readonly ErrorDialect[]) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error = toRelayError(thrown);
    if (error.httpStatus >= 500) this.logger.error({ err: error.cause ?? error, reqId: request.id }, error.message);
    const dialect = this.dialects.find((candidate) => candidate.owns(request));
    void reply
      .status(error.httpStatus)
      // Also where no hook ran: a method that the router does not know, at an address that it cannot read.
      .headers({ 'x-request-id': request.id, ...errorHeaders(error) })
      .send(dialect === undefined ? restBody(error, request) : dialect.body(error, request));
  }
}

/** Headers that the status of an error calls for. */
export function errorHeaders(error: RelayError): Record<string, string> {
  if (error.symbol === 'unauthenticated') return { 'www-authenticate': 'Bearer realm="agentrelay"' };
  if (error.symbol === 'rate_limited') {
    const { limit, retry_after_ms: wait } = error.details;
    if (typeof wait !== 'number') return { 'retry-after': String(RETRY_AFTER_SECONDS) };
    const seconds = String(Math.ceil(wait / 1_000));
    return {
      'retry-after': seconds,
      'ratelimit-limit': String(limit),
      'ratelimit-remaining': '0',
      'ratelimit-reset': seconds,
    };
  }
  if (error.symbol === 'unavailable') return { 'retry-after': String(RETRY_AFTER_SECONDS) };
  return {};
}

/** An error as REST paths show it. */
export function restBody(error: RelayError, request: FastifyRequest): object {
  return { code: error.symbol, message: error.message, request_id: request.id, details: error.details };
}
