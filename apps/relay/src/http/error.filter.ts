import { type ArgumentsHost, Catch, type ExceptionFilter, Logger, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { discoverProviders } from '../extensions';
import { ERROR_DIALECT, type ErrorEncoder } from './error-dialect.decorator';
import { isFailure, restError } from './rest-errors';
import { toRelayError } from './to-relay-error';

/** The one place where errors become HTTP answers: in the dialect that owns the path, or as REST shows them. */
@Catch()
export class ErrorFilter implements ExceptionFilter, OnModuleInit {
  private readonly logger = new Logger(ErrorFilter.name);
  private dialects: readonly ErrorEncoder[] = [];

  constructor(private readonly discovery: DiscoveryService) {}

  onModuleInit(): void {
    const found = discoverProviders<{ name: string }, ErrorEncoder>(this.discovery, ERROR_DIALECT, 'error dialect');
    this.dialects = found.map(({ instance }) => instance);
  }

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const error = toRelayError(thrown);
    if (isFailure(error)) this.logger.error({ err: error.cause ?? error, reqId: request.id }, error.message);
    const dialect = this.dialects.find((candidate) => candidate.owns(request));
    const { status, headers, body } = dialect?.encode(error, request) ?? restError(error, request.id);
    // The id also where no hook ran: a method that the router does not know, at an address that it cannot read.
    void reply
      .status(status)
      .headers({ 'x-request-id': request.id, ...headers })
      .send(body);
  }
}
