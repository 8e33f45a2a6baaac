import { LIMITS, RelayError } from '@agentrelay/protocol';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';

/** Paths whose handlers take the body as bytes, because they classify its faults themselves. */
export interface RawBodyPaths {
  has(path: string): boolean;
}

const REQUEST_ID = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.requestIdLength}}$`);

/** Fastify as the relay uses it: bounded bodies, strict JSON, request ids taken or made and always echoed. */
export function createHttpAdapter(rawBodyPaths: RawBodyPaths): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: LIMITS.bodyBytes,
    routerOptions: { maxParamLength: LIMITS.pathParameterLength, ignoreTrailingSlash: true },
    requestIdHeader: false,
    genReqId: (request: { headers: Record<string, unknown> }) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : uuidv7();
    },
    forceCloseConnections: 'idle',
  });
  const fastify: FastifyInstance = adapter.getInstance();
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    done();
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (rawBodyPaths.has(pathOf(request))) return done(null, body);
    try {
      done(null, parseJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (rawBodyPaths.has(pathOf(request)) || (body as Buffer).length === 0) return done(null, undefined);
    done(new RelayError('unsupported_media_type', 'Send the body as application/json.'));
  });
  return adapter;
}

export function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '';
}

/** An empty body is no body; anything else must be one JSON text in UTF-8. */
function parseJson(body: Buffer): unknown {
  if (body.length === 0) return undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as unknown;
  } catch (error) {
    throw new RelayError('parse_error', 'The body is not valid JSON in UTF-8.', {}, { cause: error });
  }
}
