import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { type Reply, ReplyReader } from '../fuzz/http-wire';

/** How the end of a body is told. */
export type Framing = 'length' | 'chunked' | 'none';

/** One request as it goes out, byte for byte. */
export interface Shot {
  method: string;
  target: string;
  headers: readonly (readonly [name: string, value: string])[];
  /** The body, written piece by piece; it may be produced while it is sent. */
  body: Iterable<Buffer>;
  framing: Framing;
  /** What `Content-Length` says, where it is not what comes. */
  announced?: number;
  /** Milliseconds between two pieces. */
  pauseMs?: number;
}

export interface Struck {
  /** `closed`: hung up without an answer; `hung`: neither answered nor hung up in time. */
  status: number | 'closed' | 'hung';
  reply: Reply | undefined;
  /** Milliseconds until the answer, or until it was given up. */
  ms: number;
  /** Milliseconds until the relay closed the connection; undefined when it did not, or was not waited for. */
  closedMs: number | undefined;
}

export interface StrikeOptions {
  /** Longer than this nothing may take. */
  limitMs?: number;
  /** Goes on sending after the answer, until the relay closes the connection. */
  persist?: boolean;
}

const LIMIT_MS = 30_000;

/** Sends one request on a connection of its own and reads the answer; stops sending when it is answered unless told to persist. */
export function strike(
  port: number,
  shot: Shot,
  { limitMs = LIMIT_MS, persist = false }: StrikeOptions = {},
): Promise<Struck> {
  return new Promise((resolve) => {
    const since = performance.now();
    const socket = connect({ host: '127.0.0.1', port, noDelay: true });
    const reading = new ReplyReader(shot.method === 'HEAD');
    let reply: Reply | undefined;
    let answeredMs = 0;
    let over = false;
    const finish = (status: Struck['status'], closedMs?: number): void => {
      if (over) return;
      over = true;
      clearTimeout(timer);
      socket.destroy();
      resolve({ status, reply, ms: reply === undefined ? performance.now() - since : answeredMs, closedMs });
    };
    const timer = setTimeout(() => finish(reply?.status ?? 'hung'), limitMs);
    const look = (ended: boolean): void => {
      if (reply !== undefined) return;
      reply = reading.reply(ended);
      if (reply === undefined) return;
      answeredMs = performance.now() - since;
      if (!persist) finish(reply.status);
    };
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      if (reply !== undefined) return;
      reading.take(chunk);
      look(false);
    });
    socket.on('close', () => {
      look(true);
      finish(reply?.status ?? 'closed', performance.now() - since);
    });
    socket.on('connect', () => void send(socket, shot, () => over));
  });
}

async function send(socket: ReturnType<typeof connect>, shot: Shot, isOver: () => boolean): Promise<void> {
  const write = async (bytes: Buffer | string): Promise<boolean> => {
    if (isOver() || socket.destroyed) return false;
    if (!socket.write(bytes)) await drained(socket);
    return !isOver() && !socket.destroyed;
  };
  if (!(await write(headOf(shot)))) return;
  for (const piece of shot.body) {
    if (piece.length === 0) continue;
    const framed = shot.framing === 'chunked' ? chunk(piece) : piece;
    if (!(await write(framed))) return;
    if (shot.pauseMs !== undefined) await pause(shot.pauseMs);
  }
  if (shot.framing === 'chunked') await write('0\r\n\r\n');
}

function drained(socket: ReturnType<typeof connect>): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

function chunk(piece: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]);
}

/** The head of a shot, `Host` and the framing included. */
export function headOf({ method, target, headers, body, framing, announced }: Shot): string {
  const length = announced ?? (Array.isArray(body) ? (body as Buffer[]).reduce((sum, { length: l }) => sum + l, 0) : 0);
  const frame = { length: [`content-length: ${length}`], chunked: ['transfer-encoding: chunked'], none: [] }[framing];
  const lines = [...headers.map(([name, value]) => `${name}: ${value}`), ...frame];
  return `${method} ${target} HTTP/1.1\r\nhost: relay\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
}

/** A body of so many bytes, made while it is sent. */
export function* stream(bytes: number, piece = Buffer.alloc(65_536, ' ')): Generator<Buffer> {
  for (let sent = 0; sent < bytes; sent += piece.length) yield piece.subarray(0, Math.min(piece.length, bytes - sent));
}

/** Cuts a body into pieces of at most 64 KiB. */
export function pieces(body: Buffer, size = 65_536): Buffer[] {
  const cut: Buffer[] = [];
  for (let at = 0; at < body.length; at += size) cut.push(body.subarray(at, at + size));
  return cut;
}
