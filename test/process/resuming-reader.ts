import type { WireEvent } from '@agentrelay/protocol';
import { eventually, EventStreamReader, type TestAgent } from '@agentrelay/testing';

/** Reads an agent's stream, and when it ends goes on after the last event at whichever replica it then gets. */
export class ResumingReader {
  readonly events: WireEvent[] = [];
  /** Everything that each stream sent that has ended by itself. */
  readonly ended: string[] = [];
  private stream: EventStreamReader | undefined;
  private closed = false;

  private constructor(private readonly agent: TestAgent) {}

  static async open(agent: TestAgent): Promise<ResumingReader> {
    const reader = new ResumingReader(agent);
    const first = await EventStreamReader.open(agent);
    void reader.follow(first);
    return reader;
  }

  close(): void {
    this.closed = true;
    this.stream?.close();
  }

  private async follow(first: EventStreamReader): Promise<void> {
    let stream = first;
    for (;;) {
      this.stream = stream;
      await eventually('the stream ended', () => stream.ended, 60_000);
      this.events.push(...stream.events);
      if (this.closed) return;
      this.ended.push(stream.raw);
      stream = await EventStreamReader.open(this.agent, this.events.at(-1)?.cursor);
    }
  }

  /** How many events have come so far, on the open stream too. */
  get count(): number {
    return this.events.length + (this.stream?.ended === false ? this.stream.events.length : 0);
  }
}
