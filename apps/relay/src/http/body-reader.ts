import type { Readable } from 'node:stream';
import { LIMITS, RelayError } from '@agentrelay/protocol';
import type { FastifyRequest } from 'fastify';
import { bodyLimitOf } from './body-rules';
import { ByteBudget } from './byte-budget';
import { expectsTheUnknown, inviteBody } from './expectations';
import { bringsBody } from './unread-body';

/** What of the bodies in work one agent, administrator or address may hold. */
const SHARE = 1 / 4;
const JSON_TYPE = 'application/json';

interface Held {
  /** Whose bytes these are; until that is known, those of the address. */
  holder: string;
  releases: (() => void)[];
}

const held = new WeakMap<FastifyRequest, Held>();

/** Says whose the bytes are that the body of a request brings. */
export function chargeBody(request: FastifyRequest, holder: string): void {
  heldBy(request).holder = holder;
}

function heldBy(request: FastifyRequest): Held {
  const known = held.get(request) ?? { holder: `address ${request.ip}`, releases: [] };
  held.set(request, known);
  return known;
}

/**
 * Refuses what the headers already show to be refused, before any of the body is read.
 * @throws RelayError invalid_request, unsupported_media_type or payload_too_large
 */
export function refuseByHeaders(request: FastifyRequest): void {
  const { headers } = request;
  if (expectsTheUnknown(request.raw))
    throw new RelayError(
      'invalid_request',
      'This relay meets no expectation but 100-continue; leave the header Expect out.',
    );
  if (!bringsBody(request.raw)) return;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.trim().toLowerCase() !== 'identity') {
    throw new RelayError('unsupported_media_type', 'Send the body as it is; this relay takes no Content-Encoding.');
  }
  const announced = Number(headers['content-length'] ?? 0);
  if (announced > bodyLimitOf(request)) throw tooLarge(request);
  if (announced > 0 && !isJson(request)) throw notJson();
}

/** Reads bodies, and bounds what all of them take on this replica; bytes count as they arrive, never as announced. */
export class BodyReader {
  private readonly budget = new ByteBudget(LIMITS.bodiesInFlightBytes, LIMITS.bodiesInFlightBytes * SHARE);

  /** Bytes of bodies whose requests have not been answered yet. */
  get bytesInWork(): number {
    return this.budget.taken;
  }

  /**
   * The body of a request, at most as large as its route takes. Its bytes count until `release`.
   * @throws RelayError payload_too_large, unsupported_media_type or unavailable; the rest is then left unread
   */
  read(request: FastifyRequest, payload: Readable): Promise<Buffer> {
    const limit = bodyLimitOf(request);
    const json = isJson(request);
    const chunks: Buffer[] = [];
    let received = 0;
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        payload.off('data', take).off('end', end).off('error', fail);
      };
      const fail = (error: Error): void => {
        stop();
        payload.pause();
        reject(error);
      };
      const take = (chunk: Buffer): void => {
        received += chunk.length;
        if (!json) return fail(notJson());
        if (received > limit) return fail(tooLarge(request));
        if (!this.count(request, chunk.length)) return fail(tooMuchInWork());
        chunks.push(chunk);
      };
      const end = (): void => {
        stop();
        resolve(Buffer.concat(chunks));
      };
      payload.on('data', take).on('end', end).on('error', fail);
      inviteBody(request.raw);
    });
  }

  /** Gives the bytes of a request back, once it has been answered or its client is gone. */
  release(request: FastifyRequest): void {
    for (const release of held.get(request)?.releases ?? []) release();
  }

  private count(request: FastifyRequest, bytes: number): boolean {
    const { holder, releases } = heldBy(request);
    const release = this.budget.take(holder, bytes);
    if (release === undefined) return false;
    releases.push(release);
    return true;
  }
}

function isJson({ headers: { 'content-type': type = '' } }: FastifyRequest): boolean {
  return type.split(';', 1)[0]?.trim().toLowerCase() === JSON_TYPE;
}

function notJson(): RelayError {
  return new RelayError('unsupported_media_type', `Send the body as ${JSON_TYPE}.`);
}

function tooLarge(request: FastifyRequest): RelayError {
  const limit = bodyLimitOf(request);
  const advice = 'send a file_ref to the content instead';
  return new RelayError('payload_too_large', `The request is larger than ${limit} bytes; ${advice}.`, {
    limit_bytes: limit,
  });
}

function tooMuchInWork(): RelayError {
  return new RelayError('unavailable', 'This relay has as many bytes of requests in work as it may; try again.');
}
