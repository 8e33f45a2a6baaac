import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Params } from 'nestjs-pino';
import type { LogConfig } from './config';
import { factsOf } from './http';
import { traceIds } from './tracing';

const PROBES = new Set(['/healthz', '/readyz', '/startupz']);

/** JSON lines with request ids, without bodies, headers or query strings: nothing secret can be in them. The
 * line of a request names the caller by agent id, key id and principal, the RPC method and the client's address. */
export function loggerOptions({ level }: LogConfig): Params {
  return {
    pinoHttp: {
      level,
      mixin: () => traceIds(),
      // Asked at the beginning, when nothing is known of the request, and for the line at its end.
      customProps: (request) => factsOf(request) ?? traceIds(request),
      autoLogging: { ignore: (request) => PROBES.has(pathOf(request)) },
      quietReqLogger: true,
      customLogLevel: (_request, response, error) => {
        if (error !== undefined || response.statusCode >= 500) return 'error';
        return response.statusCode >= 400 ? 'warn' : 'info';
      },
      serializers: {
        req: (request: { method: string; url: string }) => ({
          method: request.method,
          path: withoutQuery(request.url),
        }),
        res: (response: ServerResponse) => ({ statusCode: response.statusCode }),
      },
    },
  };
}

function pathOf(request: IncomingMessage & { originalUrl?: string }): string {
  return withoutQuery(request.originalUrl ?? request.url ?? '');
}

function withoutQuery(url: string): string {
  return url.split('?', 1)[0] ?? '';
}
