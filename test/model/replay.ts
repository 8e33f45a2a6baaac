import assert from 'node:assert/strict';
import type { TestAgent, TestDatabase } from '@agentrelay/testing';
import { explainTogether, type Made } from './at-once';
import { type Call, describeCall, resolve } from './commands';
import { NativeApi } from './native-api';
import { EventReader } from './event-reader';
import { type Answer, explain } from './explain';
import type { Step } from './shrinking';
import { checkDatabase } from './invariants';
import { emptyState, type State } from './state';

/** One run of a history against the relay, with the model alongside. */
class Run {
  private state: State = emptyState();
  /** Calls that succeeded, for those that repeat one. */
  private readonly done: Call[] = [];
  private readonly transcript: string[] = [];
  private readonly api: NativeApi;

  constructor(
    agents: readonly TestAgent[],
    private readonly database: TestDatabase,
  ) {
    const readers = agents.map((agent, number) => new EventReader(agent, number, number % 2 === 0));
    this.api = new NativeApi(agents, readers);
  }

  async play(history: readonly Step[]): Promise<void> {
    try {
      for (const step of history) {
        this.state.step++;
        if (Array.isArray(step)) await this.together(step.map((command) => resolve(command, this.state, this.done)));
        else await this.one(resolve(step, this.state, this.done));
      }
      const log = await checkDatabase(this.database, this.state);
      this.state.step++;
      for (const reader of this.api.readers) await reader.compareWith(log, this.state);
      await this.pagesShowEachOnce();
    } catch (error) {
      throw new Error(`After\n${this.transcript.join('\n')}\n\n${String(error)}`, { cause: error });
    }
  }

  private async one(call: Call): Promise<void> {
    const answer = await this.api.make(call, this.state, true);
    this.note(call, answer, '');
    explain(this.state, call, answer)?.(this.state);
  }

  private async together(calls: readonly Call[]): Promise<void> {
    const before = this.state;
    const made: Made[] = await Promise.all(
      calls.map(async (call) => ({ call, answer: await this.api.make(call, before, false) })),
    );
    for (const { call, answer } of made) this.note(call, answer, '| ');
    const quiet = made.map(({ call, answer }) => ({
      call: call.do === 'list' ? { ...call, peek: true } : call,
      answer,
    }));
    const state = explainTogether(before, quiet);
    if (state === undefined) assert.fail('No order of the calls that were made at once explains all their answers.');
    this.state = state;
  }

  private note(call: Call, answer: Answer, mark: string): void {
    if ('result' in answer) this.done.push(call);
    const line = 'refused' in answer ? answer.refused : shorten(answer.result);
    this.transcript.push(`  ${mark}${describeCall(call)} → ${line}`);
  }

  private async pagesShowEachOnce(): Promise<void> {
    for (const by of this.api.readers.keys()) {
      await this.one({ do: 'list', by, role: 'any', status: [], limit: 3, peek: true });
    }
  }
}

function shorten(result: unknown): string {
  const { status, version, sequence_no, replayed, unread_messages } = result as Record<string, unknown>;
  const state = (status as { state?: string } | undefined)?.state;
  const facts = { state, version, sequence_no, replayed, unread_messages };
  return JSON.stringify(facts) === '{}' ? 'ok' : JSON.stringify(facts).replaceAll('"', '');
}

/** @throws Error with the calls made and what does not fit the model */
export function replay(history: readonly Step[], agents: readonly TestAgent[], database: TestDatabase): Promise<void> {
  return new Run(agents, database).play(history);
}
