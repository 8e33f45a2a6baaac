import assert from 'node:assert/strict';
import type { WireEvent, WireEvents } from '@agentrelay/protocol';
import { eventually, type TestAgent } from '@agentrelay/testing';
import type { Answer } from './explain';
import { rpcAnswer } from './answers';
import { blocks, HANDLES, type State } from './state';
import { same } from './same';

/** An event as the log's table has it, with the step of the history that caused it. */
export interface Logged {
  id: string;
  type: string;
  actor: number;
  handoff: string | null;
  step: number;
  audience: number[];
}

/** Reads one agent's events from a remembered cursor, and remembers whose events it may have been denied. */
export class EventReader {
  readonly seen: WireEvent[] = [];
  private cursor: string | undefined;
  private reading: Promise<unknown> = Promise.resolve();
  /** Up to which step the reader has looked while it blocked an agent. */
  private readonly deniedUpTo = new Map<number, number>();

  constructor(
    private readonly agent: TestAgent,
    private readonly number: number,
    private readonly includeOwn: boolean,
  ) {}

  /** The next events; a reader's calls never overtake each other. */
  read(limit: number, state: State, alone: boolean): Promise<Answer> {
    const next = this.reading.then(() => this.readOn(limit, state, alone));
    this.reading = next;
    return next;
  }

  /** Reads until it has seen all that it must, then compares with the log: each event once, in order, none missing. */
  async compareWith(log: readonly Logged[], state: State): Promise<void> {
    const mine = log.filter(
      ({ audience, actor }) => audience.includes(this.number) && (this.includeOwn || actor !== this.number),
    );
    const must = mine.filter(({ actor, step }) => step > (this.deniedUpTo.get(actor) ?? -1));
    const wanted = must.filter(({ actor }) => !blocks(state, this.number, actor)).map(({ id }) => id);
    await eventually(`${HANDLES[this.number]} has read its events`, async () => {
      await this.readOn(200, state, true);
      const seen = new Set(this.seen.map(({ id }) => id));
      return wanted.every((id) => seen.has(id));
    });
    const seen = new Set(this.seen.map(({ id }) => id));
    const expected = mine.filter(({ id }) => seen.has(id));
    same(
      this.seen.map(({ id, type, actor, task_id }) => ({ id, type, actor, handoff: task_id ?? null })),
      expected.map(({ id, type, actor, handoff }) => ({ id, type, actor: HANDLES[actor], handoff })),
    );
  }

  private async readOn(limit: number, state: State, alone: boolean): Promise<Answer> {
    const params = { cursor: this.cursor, limit, include_own: this.includeOwn };
    const answer = rpcAnswer(await this.agent.rpc('events/list', params));
    if (!('result' in answer)) return answer;
    const { events, cursor } = answer.result as WireEvents;
    assert.ok(events.length <= limit);
    this.cursor = cursor;
    this.seen.push(...events);
    for (const other of HANDLES.keys()) {
      if (!blocks(state, this.number, other) && alone) continue;
      // Calls at once may block somebody before this read and unblock again: then it may be denied, too.
      this.deniedUpTo.set(other, state.step);
      if (alone) assert.ok(!events.some(({ actor }) => actor === HANDLES[other]), 'an event of a blocked agent');
    }
    return answer;
  }
}
