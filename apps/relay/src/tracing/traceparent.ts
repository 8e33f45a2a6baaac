import { trace } from '@opentelemetry/api';

/** W3C Trace Context, version 00. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** A `traceparent` header that can be carried on; undefined for anything else, which the standard says to ignore. */
export function validTraceparent(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && TRACEPARENT.test(header) ? header : undefined;
}

/** The span that is being recorded here, as others continue it; undefined while nothing is recorded. */
export function activeTraceparent(): string | undefined {
  const span = trace.getActiveSpan()?.spanContext();
  if (span === undefined) return undefined;
  return `00-${span.traceId}-${span.spanId}-${span.traceFlags.toString(16).padStart(2, '0')}`;
}

/** Ties the span that is being recorded here to the one that a handoff was sent in. */
export function linkTo(traceparent: string | null): void {
  const [, traceId, spanId, flags] = traceparent?.split('-') ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return;
  trace.getActiveSpan()?.addLink({ context: { traceId, spanId, traceFlags: parseInt(flags, 16), isRemote: true } });
}
