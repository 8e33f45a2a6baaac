export { startTracing } from './start-tracing';
export { traceIds, traceRequests } from './trace-requests';
export { statementSpan, traced } from './traced';
export { activeTraceparent, linkTo, validTraceparent } from './traceparent';
