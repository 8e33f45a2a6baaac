import { randomUUID } from 'node:crypto';
import { RelayClient } from '@agentrelay/relay-client';
import { Inject, Injectable } from '@nestjs/common';
import { connectionOf, type Environment } from './config';

export const ENVIRONMENT = Symbol('environment');

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
  private identity: { client: RelayClient; self: Promise<string> } | undefined;

  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  /** The client and the caller's own handle. @throws NotConfigured, HumanKeyRefused, and what the client throws */
  async open(): Promise<{ client: RelayClient; self: string }> {
    this.identity ??= this.connect();
    const { client, self } = this.identity;
    try {
      return { client, self: await self };
    } catch (error) {
      // A relay that was away may be back at the next call.
      this.identity = undefined;
      throw error;
    }
  }

  private connect(): { client: RelayClient; self: Promise<string> } {
    const client = new RelayClient(connectionOf(this.environment));
    return { client, self: handleOf(client) };
  }
}

async function handleOf(client: RelayClient): Promise<string> {
  const { handle, principal } = await client.whoAmI();
  if (principal === 'human') throw new HumanKeyRefused();
  return handle;
}
