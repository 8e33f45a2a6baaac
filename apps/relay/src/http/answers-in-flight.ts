import { Readable } from 'node:stream';
import { LIMITS } from '@agentrelay/protocol';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AnswerRoom, READ_AT_ONCE_BYTES } from './answer-room';
import { ByteBudget } from './byte-budget';

/** A reader that takes nothing for so long is cut off. */
const STALLED_MS = 30_000;
/** Smaller answers leave with the first write, and count nowhere. */
const SMALL_BYTES = 16 * 1024;
/** Larger answers are handed over bit by bit, so that it shows whether their reader takes them. */
const SLICE_BYTES = 64 * 1024;

interface InFlight {
  room: AnswerRoom;
  /** Whose share of all answers in flight this is. */
  holder: string;
}

const ANSWER = Symbol('answer in flight');
type AnsweredRequest = FastifyRequest & { [ANSWER]?: InFlight };

/** What may answer this request. */
export function answerRoomOf(request: FastifyRequest): AnswerRoom {
  return (request as AnsweredRequest)[ANSWER]?.room ?? new AnswerRoom();
}

/** Says whose share the answer to this request counts in; until then it is that of its address. */
export function answerIsFor(request: FastifyRequest, holder: string): void {
  const inFlight = (request as AnsweredRequest)[ANSWER];
  if (inFlight !== undefined) inFlight.holder = holder;
}

/**
 * Bounds the bytes of answers that are being built or not yet taken by their reader, one holder to half of them; what is beyond is
 * answered with `unavailable`. Whoever has nothing in flight gets one answer of up to READ_AT_ONCE_BYTES whatever others hold. A reader that takes nothing for `stalledMs` is cut off.
 */
export function boundAnswers(fastify: FastifyInstance, stalledMs: number = STALLED_MS): void {
  const budget = new ByteBudget(LIMITS.answersInFlightBytes, LIMITS.answersInFlightBytes / 2);
  fastify.addHook('onRequest', (request: AnsweredRequest, reply, done) => {
    const inFlight: InFlight = {
      holder: `address ${request.ip}`,
      room: new AnswerRoom((bytes, owed) =>
        owed || (bytes <= READ_AT_ONCE_BYTES && budget.isFree(inFlight.holder))
          ? budget.add(inFlight.holder, bytes)
          : budget.take(inFlight.holder, bytes),
      ),
    };
    request[ANSWER] = inFlight;
    reply.raw.once('close', () => inFlight.room.close());
    done();
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    try {
      done(null, handedOver(request, reply, payload, stalledMs));
    } catch (error) {
      done(error as Error);
    }
  });
}

/** The payload as it is to be sent: a large one in slices. @throws RelayError unavailable when too much is in flight */
function handedOver(request: FastifyRequest, reply: FastifyReply, payload: unknown, stalledMs: number): unknown {
  if (typeof payload !== 'string' && !Buffer.isBuffer(payload)) return payload;
  const bytes = Buffer.byteLength(payload);
  const room = answerRoomOf(request);
  if (bytes > SMALL_BYTES) room.settle(bytes);
  else room.release();
  if (reply.raw.destroyed) return payload;
  const stalled = setTimeout(() => reply.raw.destroy(), stalledMs);
  reply.raw.once('finish', () => clearTimeout(stalled)).once('close', () => clearTimeout(stalled));
  if (bytes <= SLICE_BYTES || request.method === 'HEAD') return payload;
  void reply.header('content-length', bytes);
  return Readable.from(
    slices(Buffer.from(payload), () => stalled.refresh()),
    {
      objectMode: false,
      highWaterMark: SLICE_BYTES,
    },
  );
}

/** `onTaken` is called whenever the reader has taken what came before. */
function* slices(bytes: Buffer, onTaken: () => void): Generator<Buffer> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES) {
    onTaken();
    yield bytes.subarray(start, start + SLICE_BYTES);
  }
}
