import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import sql from 'sql-template-tag';
import { DatabaseConfig } from '../config';
import { CONNECT_TIMEOUT_MS } from './data-source-options';
import { GuardedClient } from './guarded-client';
import { NewConnections } from './new-connections';
import { UnitOfWork } from './unit-of-work';

const RECONNECT_MS = 1_000;
/** How often the connection, which only ever listens, is asked whether it still lives, and how long it may take to say so. */
const PULSE_MS = 5_000;
const ANSWER_MS = 5_000;

/**
 * LISTEN and NOTIFY, as hints only: whoever uses them must also look by itself now and then. One connection per replica,
 * made anew when it breaks, past any pooler.
 */
@Injectable()
export class DatabaseNotifications implements OnApplicationShutdown {
  private readonly logger = new Logger(DatabaseNotifications.name);
  private client: GuardedClient | undefined;
  private closed = false;

  constructor(
    private readonly config: DatabaseConfig,
    private readonly unitOfWork: UnitOfWork,
    private readonly connections: NewConnections,
  ) {}

  /** Calls `onHint` for every notification on `channel`, and after every reconnection. */
  async listen(channel: string, onHint: () => void): Promise<void> {
    if (this.closed) return;
    const client = new GuardedClient({
      connectionString: this.config.directUrl,
      application_name: 'agentrelay-listen',
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: ANSWER_MS,
    });
    this.client = client;
    let pulse: NodeJS.Timeout | undefined;
    const retry = (): void => {
      clearInterval(pulse);
      if (this.closed || this.client !== client) return;
      this.client = undefined;
      setTimeout(() => void this.listen(channel, onHint), RECONNECT_MS).unref();
    };
    client.on('notification', onHint);
    client.on('error', (error) => this.warn(error, 'The notification connection broke; polling until it is back.'));
    client.on('end', retry);
    try {
      await client.connect();
      await this.connections.admit(client);
      await client.query(`LISTEN ${channel}`);
      pulse = setInterval(() => {
        client.query('SELECT').catch(() => {
          clearInterval(pulse);
          void client.end();
        });
      }, PULSE_MS).unref();
      onHint();
    } catch (error) {
      this.warn(error, 'The notification connection cannot be made; polling until it can.');
      void client.end().catch(() => undefined);
      retry();
    }
  }

  async notify(channel: string): Promise<void> {
    await this.unitOfWork.query(sql`SELECT pg_notify(${channel}, '')`);
  }

  onApplicationShutdown(): void {
    this.closed = true;
    // Not awaited: a network that has fallen silent brings no farewell back.
    void this.client?.end();
  }

  /** A connection that this relay ends itself, perhaps while it is still being made, is no news. */
  private warn(error: unknown, message: string): void {
    if (!this.closed) this.logger.warn({ err: error }, message);
  }
}
