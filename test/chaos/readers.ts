import type { WireEvent, WireEvents } from '@agentrelay/protocol';
import type { Delivery, ReaderLog } from './checker';
import type { Client } from './client';
import type { History } from './history';
import type { Random } from './random';

const WAIT_MS = 5_000;
/** A stream sends something every 15 s; one that does not is dead. */
const SILENT_MS = 40_000;
/** How many events a stream's reader may take again that it has seen but not acknowledged. */
const UNACKNOWLEDGED = 3;

interface Place {
  id: string;
  cursor: string;
}

/** Follows one agent's events from a cursor on, at whichever replica answers, and remembers what came. */
export abstract class Reader {
  readonly log: ReaderLog;
  protected stopping = false;
  protected readonly seen: Place[] = [];
  private readonly known = new Set<string>();
  /** Its cursor has expired, and nothing came since. */
  private afresh = false;
  private following: Promise<void> | undefined;

  constructor(
    protected readonly client: Client,
    private readonly start: string,
    private readonly history: History,
    protected readonly random: Random,
    way: string,
    includesOwn: boolean,
  ) {
    this.log = { name: `${client.handle} by ${way}`, agent: client.handle, includesOwn, expired: 0, deliveries: [] };
  }

  get last(): string | undefined {
    return this.seen.at(-1)?.id;
  }

  follow(): void {
    this.following = this.followOn();
  }

  async stop(): Promise<void> {
    this.stopping = true;
    this.interrupt();
    await this.following;
  }

  /** One answer, or one stream until it ends. @throws whatever ended it badly */
  protected abstract readOn(): Promise<void>;

  protected interrupt(): void {
    // A long poll ends by itself.
  }

  protected cursorAfter(place: Place | undefined): string {
    return place?.cursor ?? this.start;
  }

  /** Opens a delivery, to which what arrives is added at once. */
  protected delivery(after: Place | undefined): (event: WireEvent) => void {
    return this.record({ after: after?.id, ids: [] });
  }

  /** Asks, and returns the page. @throws Error when it was refused, or not answered; goes on afresh when the cursor has expired */
  protected async page(cursor: string | undefined): Promise<WireEvents> {
    const params = {
      ...(cursor === undefined ? {} : { cursor }),
      wait_ms: WAIT_MS,
      limit: this.random.between(1, 50),
      include_own: this.log.includesOwn,
    };
    const answer = await this.client.call(this.client.anyUrl(), 'events/list', params, WAIT_MS);
    if (!('error' in answer)) return answer.result as WireEvents;
    this.refused(answer.error.data.code);
    throw new Error(answer.error.message);
  }

  /** What was known under the old cursors is of no use. */
  protected refused(symbol: string): void {
    if (symbol !== 'cursor_expired') return;
    this.afresh = true;
    this.seen.length = 0;
    this.known.clear();
    this.log.expired++;
  }

  /** From the oldest event that there still is. */
  private async startAfresh(): Promise<void> {
    const { events, cursor } = await this.page(undefined);
    const receive = this.record({ after: undefined, ids: [], afreshAt: Date.now() });
    for (const event of events) receive(event);
    const last = this.seen.at(-1);
    if (last === undefined) return;
    last.cursor = cursor;
    this.afresh = false;
  }

  private record(delivery: Delivery): (event: WireEvent) => void {
    this.log.deliveries.push(delivery);
    return ({ id, cursor, task_id }) => {
      // What concerns the agent itself happened before the run.
      if (task_id === undefined) return;
      delivery.ids.push(id);
      this.history.line({ event: 'received', reader: this.log.name, after: delivery.after, id });
      if (!this.known.has(id)) this.seen.push({ id, cursor });
      this.known.add(id);
    };
  }

  private async followOn(): Promise<void> {
    for (let failures = 0; !this.stopping;) {
      try {
        await (this.afresh ? this.startAfresh() : this.readOn());
        failures = 0;
      } catch {
        await this.client.backOff(failures++);
      }
    }
  }
}

export class PollingReader extends Reader {
  constructor(client: Client, start: string, history: History, random: Random, includesOwn: boolean) {
    super(client, start, history, random, 'long poll', includesOwn);
  }

  protected override async readOn(): Promise<void> {
    const after = this.seen.at(-1);
    const { events, cursor } = await this.page(this.cursorAfter(after));
    const receive = this.delivery(after);
    for (const event of events) receive(event);
    // Going on from the page's own cursor is what a client does.
    const last = this.seen.at(-1);
    if (last !== undefined && events.length > 0) last.cursor = cursor;
  }
}

export class StreamReader extends Reader {
  private abort = new AbortController();

  constructor(client: Client, start: string, history: History, random: Random) {
    super(client, start, history, random, 'stream', true);
  }

  protected override interrupt(): void {
    this.abort.abort();
  }

  protected override async readOn(): Promise<void> {
    this.abort = new AbortController();
    const after = this.seen.at(-1 - this.random.between(0, UNACKNOWLEDGED)) ?? this.seen.at(-1);
    const watch = setTimeout(() => this.abort.abort(), SILENT_MS);
    try {
      const response = await fetch(`${this.client.anyUrl()}/agents/me/events/stream`, {
        headers: { ...this.client.authorization, 'last-event-id': this.cursorAfter(after) },
        signal: this.abort.signal,
      });
      if (response.status !== 200 || response.body === null) {
        const { code } = (await response.json()) as { code: string };
        this.refused(code);
        throw new Error(`The stream answered ${response.status}.`);
      }
      const receive = this.delivery(after);
      const decoder = new TextDecoder();
      let rest = '';
      for await (const chunk of response.body) {
        watch.refresh();
        const blocks = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data !== undefined) receive(JSON.parse(data) as WireEvent);
        }
      }
    } finally {
      clearTimeout(watch);
    }
  }
}
