import type { IncomingMessage } from 'node:http';
import { context, propagation, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyInstance } from 'fastify';

/** Probes say nothing about what people do, and often. */
const UNTRACED = new Set(['/healthz', '/readyz', '/startupz']);

const spans = new WeakMap<IncomingMessage, Span>();

/** Records each request as a span, which continues its caller's trace. */
export function traceRequests(fastify: FastifyInstance): void {
  const tracer = trace.getTracer('agentrelay');
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { url: route = 'unmatched' } = request.routeOptions;
    if (UNTRACED.has(route)) return done();
    const caller = propagation.extract(ROOT_CONTEXT, request.headers);
    const attributes = { 'http.request.method': request.method, 'http.route': route, 'request.id': request.id };
    const span = tracer.startSpan(`${request.method} ${route}`, { kind: SpanKind.SERVER, attributes }, caller);
    spans.set(request.raw, span);
    context.with(trace.setSpan(caller, span), done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request.raw);
    span?.setAttribute('http.response.status_code', reply.statusCode);
    if (reply.statusCode >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
    span?.end();
    done();
  });
}

/** The ids by which a log line is found from its trace: of a request, or of what is being recorded here. */
export function traceIds(request?: IncomingMessage): { trace_id?: string; span_id?: string } {
  const span = (request === undefined ? trace.getActiveSpan() : spans.get(request))?.spanContext();
  return span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId };
}
