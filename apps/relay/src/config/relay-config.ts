import type { Settings } from './settings';

/** How the relay presents itself and listens. */
export class HttpConfig {
  readonly host: string;
  readonly port: number;
  readonly shutdownDelayMs: number;

  constructor(settings: Settings) {
    this.host = settings.HOST;
    this.port = settings.PORT;
    this.shutdownDelayMs = settings.RELAY_SHUTDOWN_DELAY_MS;
  }
}

/** Links that the relay hands out. The base is learnt when listening starts, unless it is configured. */
export class PublicUrl {
  private base: string | undefined;

  constructor(settings: Settings) {
    this.base = settings.RELAY_PUBLIC_URL;
  }

  /** Falls back to the address the relay listens on; a configured base stays. */
  useListeningAddress(url: string): void {
    this.base ??= url;
  }

  inbox(handoffId: string): string {
    return `${this.base ?? ''}/inbox/${handoffId}`;
  }

  join(fragment: string): string {
    return `${this.base ?? ''}/join#${fragment}`;
  }

  card(handle: string): string {
    return `${this.base ?? ''}/.well-known/agent-card.json?id=${encodeURIComponent(handle)}`;
  }
}

export class DatabaseConfig {
  readonly url: string;
  readonly directUrl: string;
  /** Whether `url` leads through a pooler, which may lend a connection for one transaction only. */
  readonly pooled: boolean;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly migrateOnStart: boolean;
  /** Whether a database that may lose acknowledged writes stops the start, is warned of, or not looked at. */
  readonly durability: 'required' | 'warned' | 'unchecked';

  constructor(settings: Settings) {
    this.url = settings.DATABASE_URL;
    this.directUrl = settings.DATABASE_DIRECT_URL ?? settings.DATABASE_URL;
    this.pooled = this.directUrl !== this.url;
    this.poolSize = settings.DATABASE_POOL_SIZE;
    this.statementTimeoutMs = settings.RELAY_STATEMENT_TIMEOUT_MS;
    this.migrateOnStart = settings.RELAY_MIGRATE_ON_START;
    const checked = settings.RELAY_ALLOW_UNSAFE_DURABILITY ? 'warned' : 'required';
    this.durability = settings.RELAY_ENV === 'production' ? checked : 'unchecked';
  }
}

export interface NamedSecret {
  readonly name: string;
  readonly secret: string;
}

/** Secrets and rules that decide who somebody is. */
export class IdentityConfig {
  readonly team: string | undefined;
  readonly adminTokens: readonly NamedSecret[];
  /** The first signs new keys; all verify. */
  readonly peppers: readonly NamedSecret[];
  readonly keyPrefix: 'ar_live_' | 'ar_test_';

  constructor(settings: Settings) {
    this.team = settings.RELAY_TEAM;
    const single = settings.RELAY_ADMIN_TOKEN;
    this.adminTokens = [
      ...(single === undefined ? [] : [{ name: 'admin', secret: single }]),
      ...(settings.RELAY_ADMIN_TOKENS ?? []),
    ];
    this.peppers = settings.RELAY_KEY_PEPPERS;
    this.keyPrefix = settings.RELAY_ENV === 'production' ? 'ar_live_' : 'ar_test_';
  }
}

export class LogConfig {
  readonly level: Settings['LOG_LEVEL'];

  constructor(settings: Settings) {
    this.level = settings.LOG_LEVEL;
  }
}

/** Where Prometheus asks. */
export class MetricsConfig {
  readonly host: string;
  /** Undefined for no metrics. */
  readonly port: number | undefined;

  constructor(settings: Settings) {
    this.host = settings.HOST;
    this.port = settings.RELAY_METRICS_PORT;
  }
}

/** How often callers may call. */
export class RatesConfig {
  readonly perMinute: number;
  readonly burst: number;
  readonly failedAuthenticationsPerMinute: number;

  constructor(settings: Settings) {
    this.perMinute = settings.RELAY_RATE_PER_MINUTE;
    this.burst = settings.RELAY_RATE_BURST;
    this.failedAuthenticationsPerMinute = settings.RELAY_FAILED_AUTH_PER_MINUTE;
  }
}

/** How long things are kept, in days; 0 keeps them for good. */
export class RetentionConfig {
  readonly eventsDays: number;
  /** After which even an event that a subscriber has not read is removed; 0: never. */
  readonly unreadEventsDays: number;
  readonly threadsDays: number;

  constructor(settings: Settings) {
    this.eventsDays = settings.RELAY_RETENTION_EVENTS_DAYS;
    this.unreadEventsDays = settings.RELAY_RETENTION_UNREAD_EVENTS_DAYS;
    this.threadsDays = settings.RELAY_RETENTION_THREADS_DAYS;
  }
}
