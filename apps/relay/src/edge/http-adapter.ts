import { LIMITS, RelayError } from '@agentrelay/protocol';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { boundAnswers } from './answers-in-flight';
import { refuseUnreadable } from './client-error';
import { closeQuietConnections } from './quiet-connections';
import { restBody } from './error.filter';
import { toRelayError } from './to-relay-error';

/** Paths whose handlers take the body as bytes, because they classify its faults themselves. */
export interface RawBodyPaths {
  has(path: string | undefined): boolean;
}

export interface HttpAdapterOptions {
  rawBodyPaths: RawBodyPaths;
  /** Addresses or CIDR ranges whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  /** A client that takes longer to send its request is cut off. */
  requestTimeoutMs: number;
}

/** How often clients that are too slow are looked for; a client has at most so much longer than it should. */
const SLOW_CLIENTS_EVERY_MS = 5_000;

const REQUEST_ID = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.requestIdLength}}$`);

/** Fastify as the relay uses it: bounded bodies, strict JSON, request ids taken or made and always echoed. */
export function createHttpAdapter({
  rawBodyPaths,
  trustedProxies,
  requestTimeoutMs,
}: HttpAdapterOptions): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: LIMITS.bodyBytes,
    routerOptions: { maxParamLength: LIMITS.pathParameterLength, ignoreTrailingSlash: true },
    requestIdHeader: false,
    requestTimeout: requestTimeoutMs,
    http: {
      connectionsCheckingInterval: Math.min(requestTimeoutMs, SLOW_CLIENTS_EVERY_MS),
      headersTimeout: requestTimeoutMs,
    },
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    genReqId: (request: { headers: Record<string, unknown> }) => {
      const given = request.headers['x-request-id'];
      return typeof given === 'string' && REQUEST_ID.test(given) ? given : uuidv7();
    },
    // On shutdown requests that still arrive are served; closeQuietConnections closes what is left.
    forceCloseConnections: false,
    // Addresses that the router cannot read reach no hook and no filter.
    frameworkErrors: (thrown: Error, request: FastifyRequest, reply: FastifyReply) => {
      const error = toRelayError(thrown);
      void reply.header('x-request-id', request.id).status(error.httpStatus).send(restBody(error, request));
    },
    clientErrorHandler: refuseUnreadable,
    return503OnClosing: false,
  });
  const fastify: FastifyInstance = adapter.getInstance();
  const addresses = new KnownAddresses();
  fastify.addHook('onRoute', ({ url, method }) => addresses.add(url, [method].flat()));
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    const allowed = request.is404 ? addresses.methodsAt(request.url) : [];
    if (allowed.length === 0) return done();
    void reply.header('allow', allowed.join(', '));
    const message = `This address does not take ${request.method}; it takes ${allowed.join(', ')}.`;
    done(new RelayError('method_not_allowed', message, { allowed }));
  });
  closeQuietConnections(fastify);
  boundAnswers(fastify);
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

/** The path of the route that takes the request, however the address was spelt. */
export function pathOf(request: FastifyRequest): string | undefined {
  return request.routeOptions.url;
}

/** Which methods each address takes, so that a wrong method is told apart from a wrong address. */
class KnownAddresses {
  private readonly known: { pattern: RegExp; methods: string[] }[] = [];

  add(url: string, methods: string[]): void {
    const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : literal(segment)));
    this.known.push({ pattern: new RegExp(`^${segments.join('/')}/?$`), methods });
  }

  methodsAt(url: string): string[] {
    const [path = ''] = url.split('?', 1);
    return [...new Set(this.known.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))];
  }
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
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
