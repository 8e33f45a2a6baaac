import type { Readable } from 'node:stream';
import { LIMITS } from '@agentrelay/protocol';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { boundAnswers } from './answers-in-flight';
import { BodyReader } from './body-reader';
import { bodyRulesOf } from './body-rules';
import { refuseUnreadable } from './client-error';
import { holdExpectations } from './expectations';
import { parseJson } from './json-fault';
import { rememberAddresses } from './known-addresses';
import { closeIdleConnections } from './close-idle-connections';
import { restError } from './rest-errors';
import { toRelayError } from './to-relay-error';
import { bringsBody, closeAfterAnswer, holdBody } from './unread-body';

export interface HttpAdapterOptions {
  /** Addresses or CIDR ranges whose `X-Forwarded-For` is believed. */
  trustedProxies: readonly string[];
  /** A client that takes longer to send its request is cut off. */
  requestTimeoutMs: number;
}

/** How often clients that are too slow are looked for; a client has at most so much longer than it should. */
const SLOW_CLIENTS_EVERY_MS = 5_000;

const REQUEST_ID = new RegExp(`^[\\x21-\\x7e]{1,${LIMITS.requestIdLength}}$`);

/** Fastify as the relay uses it: bounded bodies, strict JSON, request ids taken or made and always echoed. */
export function createHttpAdapter({ trustedProxies, requestTimeoutMs }: HttpAdapterOptions): FastifyAdapter {
  const adapter = new FastifyAdapter({
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
    // On shutdown requests that still arrive are served; closeIdleConnections closes what is left.
    forceCloseConnections: false,
    // Addresses that the router cannot read reach no hook and no filter.
    frameworkErrors: (thrown: Error, request: FastifyRequest, reply: FastifyReply) => {
      const error = toRelayError(thrown);
      if (bringsBody(request.raw)) {
        holdBody(request.raw);
        void reply.header('connection', 'close');
        closeAfterAnswer(request.raw);
      }
      const { status, body } = restError(error, request.id);
      void reply.header('x-request-id', request.id).status(status).send(body);
    },
    clientErrorHandler: refuseUnreadable,
    return503OnClosing: false,
  });
  const fastify: FastifyInstance = adapter.getInstance();
  holdExpectations(fastify);
  rememberAddresses(fastify);
  fastify.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    if (bringsBody(request.raw)) holdBody(request.raw);
    done();
  });
  leaveBodiesUnread(fastify);
  readBodies(fastify);
  closeIdleConnections(fastify);
  boundAnswers(fastify);
  return adapter;
}

/** Whoever is answered before the body has been read does not get the rest of it read either. */
function leaveBodiesUnread(fastify: FastifyInstance): void {
  fastify.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (bringsBody(raw) && !raw.complete) {
      void reply.header('connection', 'close');
      closeAfterAnswer(raw);
    }
    done(null, payload);
  });
}

/** Bodies are read as their routes declare, after everything that the headers decide. */
function readBodies(fastify: FastifyInstance): void {
  const bodies = new BodyReader();
  fastify.addHook('onRequest', (request, reply, done) => {
    if (bringsBody(request.raw)) reply.raw.once('close', () => bodies.release(request));
    done();
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', async (request: FastifyRequest, payload: Readable) => {
    const body = await bodies.read(request, payload);
    if (body.length === 0) return undefined;
    return bodyRulesOf(request).as === 'bytes' ? body : parseJson(body);
  });
}

/** The path of the route that takes the request, however the address was spelt. */
export function pathOf(request: FastifyRequest): string | undefined {
  return request.routeOptions.url;
}
