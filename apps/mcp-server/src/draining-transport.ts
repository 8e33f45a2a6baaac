import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/sdk/types.js';

/** Longer than any call takes. */
const LONGEST_WAIT_MS = 55_000;

/** Stdio that knows which requests are still to be answered, so that they are when the client closes its end. */
export class DrainingTransport extends StdioServerTransport {
  private readonly open = new Set<RequestId>();
  private drained: () => void = () => undefined;

  constructor(
    stdin: Readable,
    private readonly output: Writable,
  ) {
    super(stdin, output);
  }

  override async start(): Promise<void> {
    const receive = this.onmessage;
    this.onmessage = (message) => {
      this.note(message);
      receive?.(message);
    };
    await super.start();
  }

  override async send(message: JSONRPCMessage): Promise<void> {
    await super.send(message);
    if ('id' in message && !('method' in message) && message.id !== undefined) this.settle(message.id);
  }

  /** Resolves when every request that came in is answered and the answers have been handed on. */
  async drain(): Promise<void> {
    if (this.open.size > 0) {
      await new Promise<void>((resolve) => {
        this.drained = resolve;
        setTimeout(resolve, LONGEST_WAIT_MS).unref();
      });
    }
    await new Promise<void>((resolve) => this.output.end(resolve));
  }

  private note(message: JSONRPCMessage): void {
    if (!('method' in message)) return;
    if ('id' in message) this.open.add(message.id);
    // A request that the client has cancelled is not answered.
    else if (message.method === 'notifications/cancelled') {
      const { requestId } = (message.params ?? {}) as { requestId?: RequestId };
      if (requestId !== undefined) this.settle(requestId);
    }
  }

  private settle(id: RequestId): void {
    this.open.delete(id);
    if (this.open.size === 0) this.drained();
  }
}
