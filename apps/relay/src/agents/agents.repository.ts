import { randomUUID } from 'node:crypto';
import { canonicalHandle, RECIPIENT_PATTERN } from '@agentrelay/protocol';
import { Injectable } from '@nestjs/common';
import sql, { empty, type Sql } from 'sql-template-tag';
import { brokenUniqueConstraint, type Transaction, UnitOfWork } from '../database';
import { type AnswerRoom, noRoomInBatch } from '../http';
import type { AgentProfile, CardContent } from './agent-profile';
import { agentNotFound } from './agent-not-found';
import { agentDisabled } from './agent-disabled';
import { handleTaken } from './handle-taken';

const PROFILE = sql`
  SELECT a.id AS "agentId", a.handle, a.display_name AS "displayName", a.role, a.status,
    c.description, c.skills, c.repos_owned AS "reposOwned", o.email AS "ownerEmail"
  FROM agents a JOIN cards c ON c.agent_id = a.id JOIN owners o ON o.id = a.owner_id`;

/** A pseudonym says of which agent it is one, so nobody can have chosen it before. */
const IS_ERASED = sql`(a.status = 'disabled' AND a.handle LIKE 'former-' || right(a.id::text, 12) || '%')`;

export interface NewAgent {
  id: string;
  ownerId: string;
  handle: string;
  displayName: string;
  role: string;
  card: CardContent;
}

export interface RosterFilter {
  role?: string | undefined;
  skill?: string | undefined;
  repo?: string | undefined;
  /** Handles after this one, in order of handles. */
  after?: string | undefined;
  limit?: number | undefined;
}

export interface AgentsPage {
  agents: AgentProfile[];
  /** The handle to go on after, when there are more. */
  nextAfter: string | null;
}

/** Agents that one answer has at most, where nobody says how many. */
const MOST_AT_ONCE = 5_000;
/** What the names of members, ids, the handle and the address of the card take in an answer. */
const MEMBER_BYTES = 1_000;

@Injectable()
export class AgentsRepository {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  /** The owner of that e-mail address, made when it is new; without an address always a new one. */
  async ownerOf(
    transaction: Transaction,
    newId: string,
    email: string | undefined,
    displayName: string,
  ): Promise<string> {
    const [row] = await transaction.query<{ id: string }>(sql`
      INSERT INTO owners (id, email, display_name) VALUES (${newId}, ${email ?? null}, ${displayName})
      ON CONFLICT (lower(email)) DO UPDATE SET email = owners.email
      RETURNING id`);
    return row?.id ?? newId;
  }

  /** @throws RelayError conflict when the handle is taken */
  async insert(transaction: Transaction, agent: NewAgent): Promise<void> {
    const { description, skills, reposOwned } = agent.card;
    try {
      await transaction.query(sql`
        WITH agent AS (
          INSERT INTO agents (id, handle, owner_id, display_name, role)
          VALUES (${agent.id}, ${canonicalHandle(agent.handle)}, ${agent.ownerId}, ${agent.displayName}, ${agent.role})
          RETURNING id
        )
        INSERT INTO cards (agent_id, description, skills, repos_owned)
        SELECT id, ${description}, ${skills}::text[], ${reposOwned}::text[] FROM agent`);
    } catch (error) {
      if (brokenUniqueConstraint(error) !== 'agents_handle_key') throw error;
      throw handleTaken(agent.handle, { cause: error });
    }
  }

  async updateCard(transaction: Transaction, agentId: string, card: Partial<CardContent>): Promise<void> {
    await transaction.query(sql`
      UPDATE cards SET
        description = coalesce(${card.description ?? null}, description),
        skills = coalesce(${card.skills ?? null}::text[], skills),
        repos_owned = coalesce(${card.reposOwned ?? null}::text[], repos_owned),
        updated_at = now()
      WHERE agent_id = ${agentId}`);
  }

  /**
   * Locks an agent against every other change of its keys and status.
   * @throws RelayError not_found when it is not that agent any more, conflict while it is disabled
   */
  async lockActive(transaction: Transaction, agent: Pick<AgentProfile, 'agentId' | 'handle'>): Promise<void> {
    if ((await this.lock(transaction, agent)) !== 'active') throw agentDisabled(agent.handle);
  }

  /** Keeps the status of these agents as it is until the transaction ends; the ids of those that are active. */
  async holdActive(
    transaction: Transaction,
    agents: readonly Pick<AgentProfile, 'agentId'>[],
  ): Promise<ReadonlySet<string>> {
    const ids = agents.map(({ agentId }) => agentId);
    const rows = await transaction.query<{ id: string; status: string }>(sql`
      SELECT id, status FROM agents WHERE id = ANY(${ids}::uuid[]) ORDER BY id FOR SHARE`);
    return new Set(rows.filter(({ status }) => status === 'active').map(({ id }) => id));
  }

  /** As `lockActive`, of any status, which it returns. @throws RelayError not_found */
  async lock(
    transaction: Transaction,
    { agentId, handle }: Pick<AgentProfile, 'agentId' | 'handle'>,
  ): Promise<'active' | 'disabled'> {
    const [row] = await transaction.query<{ handle: string; status: 'active' | 'disabled' }>(sql`
      SELECT handle, status FROM agents WHERE id = ${agentId} FOR NO KEY UPDATE`);
    // Erased meanwhile: the handle belongs to nobody, or to somebody else.
    if (row?.handle !== handle) throw agentNotFound(handle);
    return row.status;
  }

  /** Changes the status; false when it was that already. */
  async setStatus(transaction: Transaction, agentId: string, status: 'active' | 'disabled'): Promise<boolean> {
    const changed = await transaction.query(sql`
      UPDATE agents SET status = ${status} WHERE id = ${agentId} AND status <> ${status} RETURNING id`);
    return changed.length > 0;
  }

  async rename(
    transaction: Transaction,
    agentId: string,
    displayName: string | undefined,
    role: string | undefined,
  ): Promise<void> {
    await transaction.query(sql`
      UPDATE agents SET display_name = coalesce(${displayName ?? null}, display_name), role = coalesce(${role ?? null}, role)
      WHERE id = ${agentId}`);
  }

  /**
   * Replaces everything that says who an agent, which must be locked and disabled, and, where it was the last one left, its
   * owner were. Returns the new handle, and the owner's address when that was forgotten.
   */
  async pseudonymise(
    transaction: Transaction,
    agentId: string,
  ): Promise<{ handle: string; forgottenEmail: string | null }> {
    // Two agents of one owner that are erased at once: the second one sees that it is the last.
    await transaction.query(sql`
      SELECT FROM owners o WHERE o.id = (SELECT owner_id FROM agents WHERE id = ${agentId}) FOR UPDATE`);
    const [row] = await transaction.query<{ handle: string; forgottenEmail: string | null }>(sql`
      WITH free AS (
        SELECT candidate FROM agents a,
          LATERAL (SELECT 'former-' || right(a.id::text, 12) AS name, left(split_part(a.handle, '@', 2), 60) AS team) part,
          LATERAL (VALUES (1, name || '@' || team), (2, name || '-' || ${randomUUID()} || '@' || team)) option (rank, candidate)
        WHERE a.id = ${agentId} AND NOT EXISTS (SELECT FROM agents other WHERE other.handle = candidate AND other.id <> a.id)
        ORDER BY rank LIMIT 1
      ), erased AS (
        UPDATE agents SET handle = free.candidate, display_name = 'Former teammate', role = ''
        FROM free WHERE id = ${agentId} RETURNING id, owner_id, handle
      ), card AS (
        UPDATE cards SET description = '', skills = '{}', repos_owned = '{}', updated_at = now() WHERE agent_id = ${agentId}
      ), reasons AS (
        UPDATE blocks SET reason = NULL WHERE ${agentId}::uuid IN (blocker_id, blocked_id)
      ), labels AS (
        UPDATE api_keys SET label = '' WHERE agent_id = ${agentId}
      ), before AS (
        SELECT o.id, o.email FROM owners o JOIN erased e ON e.owner_id = o.id
      ), answers AS (
        UPDATE idempotency_records SET answer = NULL
        WHERE scope IN (${agentId} || '/agent', ${agentId} || '/human') AND answer IS NOT NULL
      ), owner AS (
        UPDATE owners o SET email = NULL, display_name = 'Former teammate' FROM before, erased e
        WHERE o.id = before.id AND NOT EXISTS (
          SELECT FROM agents a WHERE a.owner_id = o.id AND a.id <> e.id AND NOT ${IS_ERASED})
        RETURNING before.email
      )
      SELECT handle, (SELECT email FROM owner) AS "forgottenEmail" FROM erased`);
    if (row === undefined) throw new Error('The agent to erase is not there.');
    return row;
  }

  /** Whether an agent was erased: that cannot be undone. */
  async isErased(transaction: Transaction, agentId: string): Promise<boolean> {
    const rows = await transaction.query(sql`SELECT FROM agents a WHERE a.id = ${agentId} AND ${IS_ERASED}`);
    return rows.length > 0;
  }

  /** Handles of active agents, for finding what a mistyped one may have meant. */
  async activeHandles(limit: number): Promise<string[]> {
    const rows = await this.unitOfWork.query<{ handle: string }>(sql`
      SELECT handle FROM agents WHERE status = 'active' ORDER BY handle LIMIT ${limit}`);
    return rows.map(({ handle }) => handle);
  }

  /** The agent of a full handle, or of a bare name where only one active agent has it. */
  async find(handleOrName: string): Promise<AgentProfile | undefined> {
    if (!RECIPIENT_PATTERN.test(handleOrName)) return undefined;
    const name = canonicalHandle(handleOrName);
    const match = name.includes('@')
      ? sql`a.handle = ${name}`
      : sql`split_part(a.handle, '@', 1) = ${name} AND a.status = 'active'`;
    const rows = await this.unitOfWork.query<AgentProfile>(sql`${PROFILE} WHERE ${match} LIMIT 2`);
    return rows.length === 1 ? rows[0] : undefined;
  }

  /** As `find`. @throws RelayError not_found */
  async require(handleOrName: string): Promise<AgentProfile> {
    const agent = await this.find(handleOrName);
    if (agent === undefined) throw agentNotFound(handleOrName);
    return agent;
  }

  async get(agentId: string, on: Transaction | UnitOfWork = this.unitOfWork): Promise<AgentProfile | undefined> {
    const [row] = await on.query<AgentProfile>(sql`${PROFILE} WHERE a.id = ${agentId}`);
    return row;
  }

  /** Active agents in order of their handles. @throws RelayError as `page` */
  roster(filter: RosterFilter, room: AnswerRoom): Promise<AgentsPage> {
    return this.page(sql`a.status = 'active' ${filterBy(filter)}`, filter.limit ?? MOST_AT_ONCE, room);
  }

  /** All agents, disabled ones included, in order of their handles. @throws RelayError as `page` */
  all(after: string | undefined, limit: number, room: AnswerRoom): Promise<AgentsPage> {
    return this.page(after === undefined ? sql`true` : sql`a.handle > ${after}`, limit, room);
  }

  /**
   * At most `limit` agents and as many as have room, but one in any case. How much that is, is asked before it is read.
   * @throws RelayError payload_too_large when the room of a batch is used up; unavailable when too much is in flight
   */
  private async page(condition: Sql, limit: number, room: AnswerRoom): Promise<AgentsPage> {
    const [extent] = await this.unitOfWork.query<{ last: string | null; bytes: number; more: boolean }>(sql`
      WITH sized AS MATERIALIZED (
        SELECT handle, row_number() OVER (ORDER BY handle) AS place, sum(bytes) OVER (ORDER BY handle) AS through
        FROM (
          SELECT a.handle, ${MEMBER_BYTES}::integer + octet_length(to_json(a.display_name)::text) + octet_length(to_json(a.role)::text)
            + octet_length(row_to_json(c)::text) + coalesce(octet_length(to_json(o.email)::text), 0) AS bytes
          FROM agents a JOIN cards c ON c.agent_id = a.id JOIN owners o ON o.id = a.owner_id
          WHERE ${condition} ORDER BY a.handle LIMIT ${limit + 1}
        ) found
      ), shown AS (
        SELECT * FROM sized WHERE place <= ${limit} AND (through <= ${room.left}::bigint OR place = 1)
      )
      SELECT max(handle) AS last, coalesce(max(through), 0)::float8 AS bytes, count(*) < (SELECT count(*) FROM sized) AS more FROM shown`);
    if (extent === undefined || extent.last === null) return { agents: [], nextAfter: null };
    if (extent.bytes > room.left && room.isShared) throw noRoomInBatch();
    room.reserve(extent.bytes);
    const agents = await this.unitOfWork.query<AgentProfile>(sql`
      ${PROFILE} WHERE ${condition} AND a.handle <= ${extent.last} ORDER BY a.handle LIMIT ${limit}`);
    return { agents, nextAfter: extent.more ? extent.last : null };
  }
}

function filterBy({ role, skill, repo, after }: RosterFilter): Sql {
  // Paths are compared by whole segments: both sides end in exactly one slash.
  const path = repo === undefined ? '' : `${repo.replace(/\/+$/, '')}/`;
  return sql`
    ${role === undefined ? empty : sql`AND lower(a.role) = lower(${role})`}
    ${skill === undefined ? empty : sql`AND EXISTS (SELECT FROM unnest(c.skills) s WHERE lower(s) = lower(${skill}))`}
    ${
      repo === undefined
        ? empty
        : sql`AND EXISTS (SELECT FROM unnest(c.repos_owned) r
      WHERE starts_with(rtrim(r, '/') || '/', ${path}) OR starts_with(${path}, rtrim(r, '/') || '/'))`
    }
    ${after === undefined ? empty : sql`AND a.handle > ${after}`}`;
}
