import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { RelayClient } from '@agentrelay/relay-client';
import { type Connection, connectionOf, type Environment } from '@agentrelay/workstation';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from './environment';

/** No tool call takes longer (mcp.md, "Process rules"). */
export const CALL_MS = 50_000;

/** The key belongs to a person: with it an agent could act as a human, so this server refuses it. */
export class HumanKeyRefused extends Error {
  constructor() {
    super(
      'This is a human key. Give the MCP server an agent key: with a human key your agent could approve its own work.',
    );
  }
}

/** This process's side of the conversation with the relay: its client, its session id and whose key it holds. */
@Injectable()
export class RelaySession {
  /** Made once per process, so that repeating an accept is told apart from another session's. */
  readonly sessionId = randomUUID();
  /** Up to where this process has been told of updates; undefined until it first asked. */
  updatesCursor: string | undefined;
  private identity: { connection: Connection; client: RelayClient; self: Promise<string> } | undefined;

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  /** The client, for work that ends by the deadline and belongs to a trace, and the caller's own handle. @throws NotConfigured, HumanKeyRefused, and what the client throws */
  async open(deadline = Date.now() + CALL_MS, traceparent?: string): Promise<{ client: RelayClient; self: string }> {
    const connection = connectionOf(this.environment);
    // The key may have been rotated, or the workstation have joined, since the last call.
    if (!isDeepStrictEqual(this.identity?.connection, connection)) this.identity = undefined;
    this.identity ??= connect(connection, deadline);
    const { client, self } = this.identity;
    try {
      return { client: client.until(deadline, traceparent), self: await self };
    } catch (error) {
      // A relay that was away may be back at the next call.
      this.identity = undefined;
      throw error;
    }
  }
}

function connect(
  connection: Connection,
  deadline: number,
): { connection: Connection; client: RelayClient; self: Promise<string> } {
  const client = new RelayClient(connection);
  return { connection, client, self: handleOf(client.until(deadline)) };
}

async function handleOf(client: RelayClient): Promise<string> {
  const { handle, principal } = await client.whoAmI();
  if (principal === 'human') throw new HumanKeyRefused();
  return handle;
}
