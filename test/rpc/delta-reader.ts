import type { WireList } from '@agentrelay/protocol';
import type { TestAgent } from '@agentrelay/testing';

/** Follows an inbox by `as_of`: all pages of what moved since, each time from the first page of the time before. */
export class DeltaReader {
  readonly seen = new Set<string>();
  private since: string | undefined;

  constructor(private readonly agent: TestAgent) {}

  async look(): Promise<void> {
    const filter = this.since === undefined ? {} : { updated_since: this.since };
    let cursor: string | null | undefined;
    do {
      const page = { limit: 100, ...(cursor ? { cursor } : {}) };
      const list = await this.agent.call<WireList>('tasks/list', { filter, page });
      for (const { task_id } of list.items) this.seen.add(task_id);
      if (list.as_of !== undefined) this.since = list.as_of;
      cursor = list.next_cursor;
    } while (cursor !== null);
  }
}

/** Sends handoffs from several agents at once beside a reader that follows by `as_of`; returns those that it never saw. */
export async function unseen(writers: readonly TestAgent[], reader: TestAgent, count: number): Promise<string[]> {
  const sent: string[] = [];
  const delta = new DeltaReader(reader);
  let started = 0;
  const writing = Promise.all(
    writers.map(async (writer) => {
      while (started++ < count) sent.push((await writer.send(reader.handle)).task_id);
    }),
  );
  while (sent.length < count) await delta.look();
  await writing;
  await delta.look();
  return sent.filter((id) => !delta.seen.has(id));
}
