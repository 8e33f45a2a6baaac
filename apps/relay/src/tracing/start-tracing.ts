import { Logger } from '@nestjs/common';

/** How long a batch may take, its retries included: a shutdown waits so long for the last one. */
const EXPORT_MS = 3_000;

/**
 * Begins to record traces and to send them to an OTLP/HTTP collector. Nothing of the SDK is loaded before.
 * Resolves to what ends it: the spans that are still here are sent. A collector that cannot be reached costs traces, nothing else.
 */
export async function startTracing(endpoint: string, version: string): Promise<() => Promise<void>> {
  const [
    { context, propagation, trace },
    { AsyncLocalStorageContextManager },
    { setGlobalErrorHandler, W3CTraceContextPropagator },
  ] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
  ]);
  const [
    { BasicTracerProvider, BatchSpanProcessor },
    { OTLPTraceExporter },
    { detectResources, envDetector, resourceFromAttributes },
  ] = await Promise.all([
    import('@opentelemetry/sdk-trace-base'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  const report = (error: unknown): void => {
    new Logger('Tracing').warn({ err: error }, 'Traces could not be sent.');
  };
  setGlobalErrorHandler(report);
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'agentrelay', 'service.version': version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    spanProcessors: [
      new BatchSpanProcessor(
        new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, timeoutMillis: EXPORT_MS }),
      ),
    ],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return () => provider.shutdown().catch(report);
}
