import type { FastifyReply } from 'fastify';

/** A reader that takes nothing for so long holds up a shutdown, and would outlive its key. */
const STALLED_MS = 20_000;

const SLICE_BYTES = 64 * 1024;

/** An answer that is written bit by bit, for as long as its reader is there. */
export class ReplyStream {
  /** Resolves when the reader hangs up or the answer has ended. */
  readonly gone: Promise<void>;

  private constructor(private readonly reply: FastifyReply) {
    this.gone = new Promise((resolve) => {
      reply.raw.once('close', resolve).once('error', resolve);
    });
  }

  /**
   * Takes the answer out of the framework's hands, sends its head, lets `work` write it, and ends it. When `work` fails the
   * reader is cut off, because a clean end would say that this was all; the error is thrown on to `onFailure`.
   */
  static async send(
    reply: FastifyReply,
    headers: Record<string, string>,
    work: (stream: ReplyStream) => Promise<void>,
    onFailure: (error: unknown, stream: ReplyStream) => void,
  ): Promise<void> {
    reply.hijack();
    const stream = new ReplyStream(reply);
    // A stream that outlives its request must not leave a connection behind that keeps the listener open.
    reply.raw.writeHead(200, { ...headers, 'x-request-id': reply.request.id, connection: 'close' });
    try {
      // A HEAD request wants the head alone; what is written to it never reaches the client, nor does a head that waits for it.
      if (reply.request.method !== 'HEAD') await work(stream);
      reply.raw.end();
    } catch (error) {
      onFailure(error, stream);
      reply.raw.destroy();
    }
  }

  get ended(): boolean {
    return this.reply.raw.destroyed;
  }

  /** Writes as fast as the reader takes it, so that a slow one costs no memory. One that takes nothing at all is cut off. */
  async write(text: string): Promise<void> {
    if (text.length <= SLICE_BYTES) return this.writeSlice(text);
    // By how much of a long text has left it shows whether the reader still takes it.
    const bytes = Buffer.from(text);
    for (let start = 0; start < bytes.length && !this.ended; start += SLICE_BYTES)
      await this.writeSlice(bytes.subarray(start, start + SLICE_BYTES));
  }

  /** One JSON value on a line of its own. */
  writeLine(value: object): Promise<void> {
    return this.write(`${JSON.stringify(value)}\n`);
  }

  private async writeSlice(slice: string | Uint8Array): Promise<void> {
    const { raw } = this.reply;
    if (this.ended || raw.write(slice)) return;
    const stalled = setTimeout(() => raw.destroy(), STALLED_MS);
    await Promise.race([new Promise((resolve) => raw.once('drain', resolve)), this.gone]);
    clearTimeout(stalled);
  }
}
