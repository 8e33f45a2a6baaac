import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { pathOf } from '../http';
import { RpcCalls } from '../rpc';
import { MetricsRegistry } from './metrics-registry';

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Counts and times what comes in: calls of the native API, and HTTP requests. */
@Injectable()
export class Traffic {
  constructor(
    private readonly metrics: MetricsRegistry,
    private readonly calls: RpcCalls,
    private readonly host: HttpAdapterHost,
  ) {}

  watch(): void {
    this.calls.watch(({ method, outcome, seconds }) => {
      this.metrics.rpcCalls.inc({ method, outcome });
      if (seconds !== undefined) this.metrics.rpcDuration.observe({ method }, seconds);
    });
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onResponse', (request, reply, done) => {
      const method = METHODS.has(request.method) ? request.method : 'other';
      const route = pathOf(request) ?? 'unmatched';
      this.metrics.httpRequests.inc({ method, route, status: String(reply.statusCode) });
      this.metrics.httpDuration.observe({ method, route }, reply.elapsedTime / 1_000);
      done();
    });
  }
}
