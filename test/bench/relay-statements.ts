import 'reflect-metadata';
import type { Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import { BlocksRepository } from '../../apps/relay/src/agents';
import { AnswerRoom } from '../../apps/relay/src/http';
import type { Transaction, UnitOfWork } from '../../apps/relay/src/database';
import { EventLogRepository } from '../../apps/relay/src/events';
import { HandoffsRepository } from '../../apps/relay/src/handoffs/handoffs.repository';
import { HandoffListRepository } from '../../apps/relay/src/handoffs/queries/list-handoffs/handoff-list.repository';
import type { ListPosition } from '../../apps/relay/src/handoffs/queries/list-handoffs/list-cursor';
import { ThreadsRepository } from '../../apps/relay/src/handoffs/threads.repository';
import { IdempotencyRepository } from '../../apps/relay/src/idempotency';
import type { Caller } from '../../apps/relay/src/identity';
import { TransitionCounter } from '../../apps/relay/src/handoffs/transition-counter';
import { MessagesRepository } from '../../apps/relay/src/messages';
import { handoffContent } from './content';
import type { Member } from './team';

/**
 * The relay's own statements, made by its own repositories, for running them without the relay: so a floor cannot differ from
 * what it stands under.
 */

/** The first page of everything that was handed to the member, or the one after `position`. */
export function listStatement(member: Member, limit: number, position?: ListPosition): Promise<Sql> {
  const filter = {
    role: 'recipient',
    states: [],
    intent: undefined,
    since: undefined,
    updatedSince: undefined,
    counterpart: undefined,
    text: undefined,
  } as const;
  return statementOf((database) =>
    new HandoffListRepository(database).page({ ...filter, states: [] }, limit, position, false, callerOf(member)),
  );
}

/** A whole thread, read by the member. */
export function threadStatement(member: Member, threadId: string): Promise<Sql> {
  const wish = { afterSequenceNo: 0, historyLength: undefined, markRead: true };
  return statementOf((database) =>
    new ThreadsRepository(database, new MessagesRepository()).read(
      database,
      threadId,
      callerOf(member),
      wish,
      new AnswerRoom(),
    ),
  );
}

/** An id as the relay makes them, the time first. */
const NEW_ID = `(lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0') || '7'
  || substr(md5(random()::text), 1, 3) || '8' || substr(md5(random()::text), 1, 15))::uuid`;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The writing statement of a send: handoff, summary, event and idempotency record, with the check for blocks. The locking statement
 * before it, `BEGIN` and `COMMIT` are what the relay adds to this floor. Client `n` of pgbench is the `n`th of `pairs`.
 */
export async function sendStatement(
  pairs: readonly { sender: Member; recipient: Member }[],
): Promise<{ statement: Sql; fresh: ReadonlyMap<unknown, string> }> {
  const content = handoffContent();
  const [id, recipientId, senderId, messageId, key] = Array.from({ length: 5 }, () => uuidv7());
  const [pair] = pairs;
  if (!pair || !id || !recipientId || !senderId || !messageId || !key) throw new Error('A send needs two agents.');
  const statement = await statementOf((database) => {
    const handoffs = new HandoffsRepository(
      new BlocksRepository(database),
      new IdempotencyRepository(database),
      new MessagesRepository(),
      new EventLogRepository(),
      new TransitionCounter(),
    );
    const summary = {
      id: messageId,
      authorId: senderId,
      kind: 'summary',
      body: content.summary,
      payload: {},
      artifacts: content.artifacts,
    } as const;
    const handoff = { id, recipientId, intent: 'inform', proposedAction: null, metadata: {}, summary } as const;
    const claim = { scope: 'pgbench/agent', command: 'handoff.send', key, argumentsHash: Buffer.alloc(32, 1) } as const;
    const by = callerOf({ ...pair.sender, agentId: senderId });
    return handoffs.insert(database, handoff, claim, { by, requestId: 'pgbench' });
  });
  const ofClient = (ids: string[]): string => `(ARRAY['${ids.join("', '")}']::uuid[])[:client_id + 1]`;
  const fresh = new Map<unknown, string>(
    statement.values.filter((value) => typeof value === 'string' && UUID.test(value)).map((value) => [value, NEW_ID]),
  );
  fresh.set(senderId, ofClient(pairs.map(({ sender }) => sender.agentId)));
  fresh.set(recipientId, ofClient(pairs.map(({ recipient }) => recipient.agentId)));
  fresh.set(key, 'gen_random_uuid()::text');
  return { statement, fresh };
}

function callerOf({ agentId, handle }: Member): Caller {
  return { kind: 'caller', agentId, handle, principal: 'agent', keyId: agentId };
}

/** What `use` asks of the database first; it gets no answer. */
async function statementOf(use: (database: UnitOfWork & Transaction) => Promise<unknown>): Promise<Sql> {
  let asked: Sql | undefined;
  const recorder = {
    query: (statement: Sql) => {
      asked = statement;
      return Promise.reject(NO_ANSWER);
    },
  };
  await use(recorder as unknown as UnitOfWork & Transaction).catch((error: unknown) => {
    if (error !== NO_ANSWER) throw error;
  });
  if (asked === undefined) throw new Error('Nothing was asked of the database.');
  return asked;
}

const NO_ANSWER = new Error('This database only notes what it is asked.');
