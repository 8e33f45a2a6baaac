import { handleFault } from '@agentrelay/protocol';
import { z } from 'zod';
import { isAddressRange } from './address-range';
import { LIMIT_SETTINGS } from './limit-settings';

/**
 * Every environment variable the relay reads, with its meaning and default: the one source of
 * validation and of `docs/configure.md`. Settings marked `secret` may also be given as a file, by the
 * same name with `_FILE`.
 */

const NAMED_SECRET = /^[A-Za-z0-9_.-]{1,40}:[\x21-\x7e]{32,}$/;

const port = z.coerce.number<string>().int().min(0).max(65_535);
const flag = z.enum(['true', 'false']).transform((value) => value === 'true');
const postgresUrl = z.string().regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL');
const commaSeparated = z.string().transform((list) =>
  list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== ''),
);
const trustedProxies = commaSeparated.superRefine((entries, context) => {
  const wrong = entries.filter((entry) => !isAddressRange(entry));
  if (wrong.length === 0) return;
  const message = `must be IP addresses or CIDR ranges separated by commas; ${wrong.map((entry) => JSON.stringify(entry)).join(', ')} is none`;
  context.addIssue({ code: 'custom', message });
});
const namedSecrets = commaSeparated
  .refine((entries) => entries.length > 0 && entries.every((entry) => NAMED_SECRET.test(entry)), {
    error: 'must be name:secret entries separated by commas, each secret at least 32 characters without white space',
  })
  .transform((entries) =>
    entries.map((entry) => ({ name: entry.slice(0, entry.indexOf(':')), secret: entry.slice(entry.indexOf(':') + 1) })),
  );

const SETTINGS = {
  RELAY_ENV: z
    .enum(['production', 'development', 'test'])
    .default('production')
    .describe('Mode of operation. In production missing or example secrets stop the start, and keys read `ar_live_…`.'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on. Containers set `0.0.0.0`.'),
  PORT: port.default(8080).describe('Port to listen on; 0 takes a free one.'),
  DATABASE_URL: postgresUrl.describe('PostgreSQL 15 or later, as a `postgres://` URL.').meta({ secret: true }),
  DATABASE_DIRECT_URL: postgresUrl
    .optional()
    .describe(
      'The same database without a pooler in between, where `DATABASE_URL` leads through one: for migrations and notifications. Given another address, the relay keeps nothing on a connection beyond a transaction. Default: `DATABASE_URL`.',
    )
    .meta({ secret: true }),
  DATABASE_POOL_SIZE: z.coerce
    .number<string>()
    .int()
    .min(1)
    .max(500)
    .default(20)
    .describe('Database connections that one replica may hold.'),
  RELAY_ALLOW_UNSAFE_DURABILITY: flag
    .default(false)
    .describe(
      'Serve in production although the database reports `fsync`, `full_page_writes` or `synchronous_commit` off. Loud in the log.',
    ),
  RELAY_MIGRATE_ON_START: flag
    .default(true)
    .describe('Apply pending migrations at start, under an advisory lock. Switch off where a Job runs `migrate.js`.'),
  RELAY_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('Base of every link the relay hands out. Default: the address it listens on.'),
  RELAY_ALLOW_HTTP: flag
    .default(false)
    .describe(
      'Start in production although `RELAY_PUBLIC_URL` begins with `http://` and leads to another machine: for networks that are encrypted otherwise. Loopback addresses need no permission.',
    ),
  RELAY_TEAM: z
    .string()
    .regex(/^[A-Za-z0-9._-]+$/, { error: 'must be letters, digits, ".", "_" or "-"', abort: true })
    .refine((team) => handleFault(`a@${team}`) === undefined, 'is not a name that a team can have in a handle')
    .optional()
    .describe('When set, every handle must be `name@` this team.'),
  RELAY_ADMIN_TOKEN: z
    .string()
    .min(32, 'must be at least 32 characters')
    .regex(/^[\x21-\x7e]*$/, 'must be plain characters without white space: it travels in a header')
    .optional()
    .describe('Token of the administrator named `admin`. At least 32 characters.')
    .meta({ secret: true }),
  RELAY_ADMIN_TOKENS: namedSecrets
    .optional()
    .describe('Further administrators, as `name:token,…`; what they change is recorded under that name.')
    .meta({ secret: true }),
  RELAY_KEY_PEPPERS: namedSecrets
    .describe('Peppers of stored API keys, as `id:secret,…`. The first signs new keys, all verify.')
    .meta({ secret: true }),
  RELAY_STATEMENT_TIMEOUT_MS: z.coerce
    .number<string>()
    .int()
    .min(100)
    .max(600_000)
    .default(10_000)
    .describe('Milliseconds after which the database gives a statement up; the caller gets `unavailable`.'),
  RELAY_REQUEST_TIMEOUT_MS: z.coerce
    .number<string>()
    .int()
    .min(100)
    .max(600_000)
    .default(60_000)
    .describe('Milliseconds in which a client must have sent its whole request.'),
  RELAY_RATE_PER_MINUTE: z.coerce
    .number<string>()
    .int()
    .min(1)
    .default(600)
    .describe(
      'Calls that one agent, and apart from it the person behind it, may make a minute on each replica, whatever their keys.',
    ),
  RELAY_RATE_BURST: z.coerce
    .number<string>()
    .int()
    .min(1)
    .default(100)
    .describe('Calls that they may make at once before the rate holds.'),
  RELAY_FAILED_AUTH_PER_MINUTE: z.coerce
    .number<string>()
    .int()
    .min(1)
    .default(60)
    .describe('Failed authentications and redemptions that one client address may make a minute, on each replica.'),
  RELAY_TRUSTED_PROXIES: trustedProxies
    .default([])
    .describe('Addresses or CIDR ranges, separated by commas, whose `X-Forwarded-For` names the client.'),
  RELAY_EXTENSIONS: commaSeparated
    .default([])
    .describe(
      'Nest modules to load at start, as package names or paths separated by commas: trusted code (see `docs/extend.md`).',
    ),
  RELAY_METRICS_PORT: port
    .optional()
    .describe('Port of `GET /metrics` for Prometheus, beside `HOST`; 0 takes a free one. Default: no metrics.'),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'OTLP/HTTP collector that traces are sent to, at `/v1/traces`. `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER` and `OTEL_EXPORTER_OTLP_HEADERS` hold too. Default: no tracing, and nothing of it is loaded.',
    ),
  RELAY_RETENTION_EVENTS_DAYS: z.coerce
    .number<string>()
    .int()
    .min(0)
    .default(365)
    .describe('Days after which events are removed; 0 keeps them for good. Cursors from before get `cursor_expired`.'),
  RELAY_RETENTION_UNREAD_EVENTS_DAYS: z.coerce
    .number<string>()
    .int()
    .min(0)
    .default(730)
    .describe(
      'Days after which events are removed even if an event subscriber has not read them; until then retention waits for the slowest. 0 waits for good.',
    ),
  RELAY_RETENTION_THREADS_DAYS: z.coerce
    .number<string>()
    .int()
    .min(0)
    .default(0)
    .describe('Days after their end after which completed and cancelled threads are removed; 0 keeps them for good.'),
  RELAY_SHUTDOWN_DELAY_MS: z.coerce
    .number<string>()
    .int()
    .min(0)
    .max(60_000)
    .default(0)
    .describe('Milliseconds between turning unready on SIGTERM and closing the listener, for load balancers.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Least severe level that is logged.'),
} as const;

const ALL_SETTINGS = { ...SETTINGS, ...LIMIT_SETTINGS };
export const SETTINGS_SCHEMA = z.object(ALL_SETTINGS);
export const SETTING_NAMES = Object.keys(ALL_SETTINGS) as SettingName[];
export type Settings = z.output<typeof SETTINGS_SCHEMA>;
export type SettingName = keyof typeof ALL_SETTINGS;

/** Whether a setting holds a secret, so that it is accepted from a file and never printed. */
export function isSecret(name: SettingName): boolean {
  return (ALL_SETTINGS[name] as z.ZodType).meta()?.['secret'] === true;
}

export interface DescribedSetting {
  name: string;
  meaning: string;
  /** As it would be written; undefined where there is none. */
  byDefault: string | undefined;
  secret: boolean;
}

function shown(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Every setting, for the documents. */
export function describeSettings(): DescribedSetting[] {
  return SETTING_NAMES.map((name) => {
    const schema = ALL_SETTINGS[name] as z.ZodType;
    const { defaultValue } = schema.def as { defaultValue?: unknown };
    const plain = defaultValue === undefined || (Array.isArray(defaultValue) && defaultValue.length === 0);
    return {
      name,
      meaning: schema.description ?? '',
      byDefault: plain ? undefined : shown(defaultValue),
      secret: isSecret(name),
    };
  });
}
