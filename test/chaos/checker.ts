import type { Acknowledgement, Operation } from './history';

/** The database after the run. */
export interface Stored {
  handoffs: StoredHandoff[];
  /** In the order of their threads and sequence numbers. */
  messages: StoredMessage[];
  /** In the order of the log. */
  events: StoredEvent[];
}

export interface StoredHandoff {
  id: string;
  status: string;
  session: string | null;
  messageCount: number;
  sender: string;
  recipient: string;
  /** Of its last change, in milliseconds. */
  movedAt: number;
}

export interface StoredMessage {
  task: string;
  sequence: number;
  id: string;
  body: string;
}

export interface StoredEvent {
  id: string;
  actor: string;
  sender: string;
  recipient: string;
  /** When retention removed it, in milliseconds of the database's clock. */
  removedAt: number | null;
}

/** What a reader of events got over one answer or one stream. */
export interface Delivery {
  /** The last event it had acknowledged when it asked; undefined: none yet. */
  after: string | undefined;
  ids: string[];
  /** When a reader whose cursor had expired got what it was given without one. */
  afreshAt?: number;
}

export interface ReaderLog {
  name: string;
  agent: string;
  includesOwn: boolean;
  /** How often its cursor had expired. */
  expired: number;
  deliveries: Delivery[];
}

export type Fault =
  'lost' | 'doubled' | 'double winner' | 'no winner' | 'phantom' | 'gap' | 'skipped' | 'unseen' | 'outlived';

export interface Violation {
  fault: Fault;
  what: string;
  /** The operations of the history that show it. */
  operations: number[];
}

/** How much each promise was put to the test. */
export type Checked = Record<'acknowledgements' | 'bodies' | 'races' | 'threads' | 'deliveries', number>;

/** Holds what the clients were told against what is stored: every promise, for every operation. */
export function check(
  operations: readonly Operation[],
  stored: Stored,
  readers: readonly ReaderLog[],
): { violations: Violation[]; checked: Checked } {
  const index = new StoredIndex(stored);
  const acknowledged = operations.filter(isAcknowledged);
  const races = byTask(operations.filter(({ request }) => request.kind === 'accept' || request.kind === 'cancel'));
  return {
    violations: [
      ...acknowledged.flatMap((operation) => lost(operation, index)),
      ...acknowledged.flatMap(twoAnswers),
      ...doubledBodies(stored, operations),
      ...operations.flatMap((operation) => phantom(operation, index)),
      ...[...races].flatMap(([task, race]) => winners(task, race, index)),
      ...gaps(stored),
      ...readers.flatMap((reader) => skipped(reader, stored.events)),
    ],
    checked: {
      acknowledgements: acknowledged.length,
      bodies: stored.messages.length,
      races: races.size,
      threads: stored.handoffs.length,
      deliveries: readers.reduce(
        (sum, { deliveries }) => sum + deliveries.reduce((n, { ids }) => n + ids.length, 0),
        0,
      ),
    },
  };
}

/** What a write was told in the end, if it was acknowledged. */
export function answersOf({ attempts }: Operation): Acknowledgement[] {
  return attempts.flatMap((attempt) => (attempt.outcome === 'acknowledged' ? [attempt.answer] : []));
}

function isAcknowledged(operation: Operation): boolean {
  return operation.request.kind !== 'get' && operation.request.kind !== 'list' && answersOf(operation).length > 0;
}

class StoredIndex {
  private readonly handoffs: Map<string, StoredHandoff>;
  private readonly messages: Map<string, StoredMessage>;

  constructor(stored: Stored) {
    this.handoffs = new Map(stored.handoffs.map((handoff) => [handoff.id, handoff]));
    this.messages = new Map(stored.messages.map((message) => [message.body, message]));
  }

  handoff(id: string): StoredHandoff | undefined {
    return this.handoffs.get(id);
  }

  withBody(body: string | undefined): StoredMessage | undefined {
    return body === undefined ? undefined : this.messages.get(body);
  }
}

/** What was acknowledged is there, where the acknowledgement says. */
function lost(operation: Operation, index: StoredIndex): Violation[] {
  const { request } = operation;
  return answersOf(operation).flatMap((answer) => {
    const handoff = index.handoff(answer.task);
    const message = index.withBody(request.body);
    const missing = {
      send: message?.task !== answer.task || message.sequence !== 1,
      append: message?.id !== answer.message || message?.sequence !== answer.sequence || message?.task !== answer.task,
      complete: message?.task !== answer.task || handoff?.status !== 'completed',
      accept: handoff === undefined || handoff.session !== request.session,
      cancel: handoff?.status !== 'cancelled',
      get: false,
      list: false,
    }[request.kind];
    if (handoff !== undefined && !missing) return [];
    const what = `The ${request.kind} that was acknowledged for thread ${answer.task} is not stored so.`;
    return [{ fault: 'lost', what, operations: [operation.id] }];
  });
}

/** One idempotency key has one answer. */
function twoAnswers(operation: Operation): Violation[] {
  const answers = new Set(answersOf(operation).map(({ task, message }) => `${task} ${message ?? ''}`));
  if (answers.size < 2) return [];
  const what = `One key was answered with ${[...answers].join(' and with ')}.`;
  return [{ fault: 'doubled', what, operations: [operation.id] }];
}

function doubledBodies({ messages }: Stored, operations: readonly Operation[]): Violation[] {
  const seen = new Map<string, StoredMessage>();
  return messages.flatMap((message) => {
    const first = seen.get(message.body);
    seen.set(message.body, message);
    if (first === undefined) return [];
    const what = `“${message.body}” is stored as ${first.id} and as ${message.id}.`;
    const by = operations.filter(({ request }) => request.body === message.body).map(({ id }) => id);
    return [{ fault: 'doubled', what, operations: by }];
  });
}

/** What was refused in the end has left nothing. */
function phantom(operation: Operation, index: StoredIndex): Violation[] {
  const message = index.withBody(operation.request.body);
  if (message === undefined || operation.attempts.at(-1)?.outcome !== 'refused') return [];
  const what = `The ${operation.request.kind} was refused, and yet is message ${message.sequence} of ${message.task}.`;
  return [{ fault: 'phantom', what, operations: [operation.id] }];
}

function byTask(operations: readonly Operation[]): Map<string, Operation[]> {
  const tasks = new Map<string, Operation[]>();
  for (const operation of operations) {
    const { task = '' } = operation.request;
    tasks.set(task, [...(tasks.get(task) ?? []), operation]);
  }
  return tasks;
}

/** Of those who wanted to accept or to cancel a handoff exactly one did; none only where somebody never got an answer. */
function winners(task: string, race: readonly Operation[], index: StoredIndex): Violation[] {
  const won = race.filter(isAcknowledged);
  const settled = race.every(({ attempts }) => attempts.length > 0 && attempts.at(-1)?.outcome !== 'unknown');
  const operations = race.map(({ id }) => id);
  if (won.length > 1) {
    return [{ fault: 'double winner', what: `${won.length} have won the race for ${task}.`, operations }];
  }
  if (won.length === 0 && settled && index.handoff(task) !== undefined) {
    return [{ fault: 'no winner', what: `Nobody has won the race for ${task}.`, operations }];
  }
  return [];
}

function gaps({ handoffs, messages }: Stored): Violation[] {
  const sequences = new Map<string, number[]>();
  for (const { task, sequence } of messages) sequences.set(task, [...(sequences.get(task) ?? []), sequence]);
  return handoffs.flatMap(({ id, messageCount }) => {
    const found = sequences.get(id) ?? [];
    if (found.length === messageCount && found.every((sequence, i) => sequence === i + 1)) return [];
    const what = `Thread ${id} of ${messageCount} messages has the sequence numbers ${found.join(', ')}.`;
    return [{ fault: 'gap', what, operations: [] }];
  });
}

/**
 * Each answer goes on right after what its reader had acknowledged, and the last reaches the end of the log. Whoever starts afresh
 * misses only what retention had removed by then.
 */
function skipped({ name, agent, includesOwn, deliveries }: ReaderLog, events: readonly StoredEvent[]): Violation[] {
  const mine = events
    .filter(({ sender, recipient }) => sender === agent || recipient === agent)
    .filter(({ actor }) => includesOwn || actor !== agent);
  const log = mine.map(({ id }) => id);
  const places = new Map(log.map((id, place) => [id, place]));
  const violation = (what: string): Violation => ({ fault: 'skipped', what: `${name}: ${what}`, operations: [] });
  let reached = 0;
  for (const { after, ids, afreshAt } of deliveries) {
    if (afreshAt !== undefined && ids.length === 0) continue;
    const before = after === undefined ? -1 : (places.get(after) ?? Number.NaN);
    const start = afreshAt === undefined ? before + 1 : (places.get(ids[0] ?? '') ?? Number.NaN);
    const missed = mine.slice(reached, start).find(({ removedAt }) => (removedAt ?? Infinity) > (afreshAt ?? Infinity));
    if (missed !== undefined) return [violation(`started afresh, and was never given ${missed.id}, which was there.`)];
    // What retention removes is older, which the log's order is not to the millisecond: some of it lies behind what is still there.
    const there =
      afreshAt === undefined
        ? log.slice(start, start + ids.length)
        : mine
            .slice(start)
            .filter(({ id, removedAt }) => (removedAt ?? Infinity) > afreshAt || ids.includes(id))
            .map(({ id }) => id);
    const wrong = ids.findIndex((id, i) => id !== there[i]);
    if (wrong !== -1) {
      const expected = there[wrong] ?? 'nothing';
      return [violation(`after ${after ?? 'the start'} came ${ids[wrong] ?? ''} in place ${wrong}, not ${expected}.`)];
    }
    reached = Math.max(reached, (places.get(ids.at(-1) ?? '') ?? start - 1) + 1);
  }
  if (reached === log.length) return [];
  return [violation(`of ${log.length} events in the log the last ${log.length - reached} never came.`)];
}
