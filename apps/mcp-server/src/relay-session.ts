import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { RelayClient } from '@agentrelay/relay-client';
import { type Connection, connectionOf, type Environment } from '@agentrelay/workstation';
import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from './environment';
import { CheckedRelay } from './relay-answers';

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

/** What lasts as long as this process. */
export interface ProcessMemory {
  readonly sessionId: string;
  /** Up to where this process has been told of updates; undefined until it first asked. */
  updatesCursor: string | undefined;
  /** How many unread messages of a thread this process was last told of. */
  readonly told: Map<string, number>;
  /** Resolves when the client has closed: nothing is waited for any more. */
  readonly closing: Promise<undefined>;
}

/** This process's side of the conversation with the relay: its client, its session id and whose key it holds. */
@Injectable()
export class RelaySession implements ProcessMemory {
  /** Made once per process, so that repeating an accept is told apart from another session's. */
  readonly sessionId = randomUUID();
  updatesCursor: string | undefined;
  readonly told = new Map<string, number>();
  readonly closing: Promise<undefined>;
  private close: () => void = () => undefined;
  private identity: { connection: Connection; client: CheckedRelay; self: Promise<string> } | undefined;

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {
    this.closing = new Promise((resolve) => {
      this.close = () => resolve(undefined);
    });
  }

  /** The client has closed: waits end with what they have. */
  endWaits(): void {
    this.close();
  }

  /** The client, for work that ends by the deadline and belongs to a trace, and the caller's own handle. @throws NotConfigured, HumanKeyRefused, and what the client throws */
  async open(deadline = Date.now() + CALL_MS, traceparent?: string): Promise<{ client: CheckedRelay; self: string }> {
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
): { connection: Connection; client: CheckedRelay; self: Promise<string> } {
  const client = new CheckedRelay(new RelayClient(connection));
  return { connection, client, self: handleOf(client.until(deadline)) };
}

async function handleOf(client: CheckedRelay): Promise<string> {
  const { handle, principal } = await client.whoAmI();
  if (principal === 'human') throw new HumanKeyRefused();
  return handle;
}
