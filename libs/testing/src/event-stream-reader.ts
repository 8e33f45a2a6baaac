import type { WireEvent } from '@agentrelay/protocol';
import { eventually } from './eventually';
import type { TestAgent } from './test-agent';

/** A plain reader of the server-sent events of one agent. */
export class EventStreamReader {
  readonly events: WireEvent[] = [];
  /** Everything received, comments and hints included. */
  raw = '';
  ended = false;
  private readonly abort = new AbortController();

  private constructor(readonly status: number) {}

  static async open(agent: TestAgent, lastEventId?: string): Promise<EventStreamReader> {
    const abort = new AbortController();
    const response = await fetch(`${agent.url}/agents/me/events/stream`, {
      headers: {
        authorization: `Bearer ${agent.apiKey}`,
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
      },
      signal: abort.signal,
    });
    const reader = new EventStreamReader(response.status);
    reader.abort.signal.addEventListener('abort', () => abort.abort());
    void reader.consume(response);
    if (response.status === 200) await eventually('the stream is open', () => reader.raw.includes(': connected'));
    return reader;
  }

  close(): void {
    this.abort.abort();
  }

  private async consume(response: Response): Promise<void> {
    const decoder = new TextDecoder();
    let rest = '';
    try {
      for await (const chunk of response.body ?? []) {
        const text = decoder.decode(chunk as Uint8Array, { stream: true });
        this.raw += text;
        const blocks = (rest + text).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data !== undefined) this.events.push(JSON.parse(data) as WireEvent);
        }
      }
    } catch {
      // Closed by us, or cut off: what was received counts.
    }
    this.ended = true;
  }
}
