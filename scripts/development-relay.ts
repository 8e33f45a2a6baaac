import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '@agentrelay/embedded-postgres';
import { type WorkstationConfig, writeConfigFile, writeFileAtomically } from '@agentrelay/workstation';
import { bootRelay, type RunningRelay } from '../apps/relay/src/boot';

/** Root of the checkout, seen from `dist/scripts`. */
export const CHECKOUT = resolve(__dirname, '../..');
/** Everything that development keeps: database, secrets, demo agents. */
export const STATE = join(CHECKOUT, '.agentrelay');
const DEMO_HANDLES = ['bob@acme', 'frank@acme'] as const;

export interface DevelopmentRelay {
  url: string;
  relay: RunningRelay;
  /** The demo agents of this database; empty when it belongs to somebody else's agents. */
  demoAgents: DemoAgent[];
  stop(): Promise<void>;
}

export interface DemoAgent {
  handle: string;
  /** Its AGENTRELAY_HOME. */
  home: string;
}

interface Secrets {
  RELAY_KEY_PEPPERS: string;
  RELAY_ADMIN_TOKEN: string;
}

/** Starts the relay of this checkout for development: secrets made once, embedded PostgreSQL unless DATABASE_URL is given. */
export async function startDevelopmentRelay(overrides: Record<string, string>): Promise<DevelopmentRelay> {
  const secrets = developmentSecrets();
  const database = process.env['DATABASE_URL']
    ? undefined
    : await startEmbeddedPostgres({ directory: join(STATE, 'postgres'), durable: true });
  try {
    const relay = await bootRelay({
      LOG_LEVEL: 'warn',
      ...secrets,
      ...(database && { DATABASE_URL: database.url }),
      ...process.env,
      ...overrides,
      RELAY_ENV: 'development',
    });
    const demoAgents = await findOrRegisterDemoAgents(
      relay.url,
      process.env['RELAY_ADMIN_TOKEN'] || secrets.RELAY_ADMIN_TOKEN,
    );
    const stop = async (): Promise<void> => {
      await relay.app.close();
      await database?.stop();
    };
    return { url: relay.url, relay, demoAgents, stop };
  } catch (error) {
    await database?.stop();
    throw error;
  }
}

function developmentSecrets(): Secrets {
  const path = join(STATE, 'secrets.json');
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Secrets;
  const secret = (): string => randomBytes(32).toString('base64url');
  const secrets = { RELAY_KEY_PEPPERS: `dev:${secret()}`, RELAY_ADMIN_TOKEN: secret() };
  writeFileAtomically(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/** On an empty database registers two agents; otherwise finds those that an earlier start registered here. */
async function findOrRegisterDemoAgents(url: string, adminToken: string): Promise<DemoAgent[]> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const { agents } = await answerOf<{ agents: { agent_id: string }[] }>(fetch(`${url}/admin/agents`, { headers }));
  const known = new Set(agents.map(({ agent_id }) => agent_id));
  const demoAgents: DemoAgent[] = [];
  for (const handle of DEMO_HANDLES) {
    const name = handle.split('@')[0] ?? handle;
    const home = join(STATE, 'demo', name);
    if (known.size === 0) {
      const body = JSON.stringify({
        handle,
        email: `${name}@acme.example`,
        display_name: titleCase(name),
        role: 'developer',
      });
      const registered = await answerOf<{ agent_id: string; handle: string; api_key: string }>(
        fetch(`${url}/admin/agents`, { method: 'POST', headers, body }),
      );
      const { agent_id, api_key } = registered;
      writeConfigFile(home, { relay_url: url, agent_handle: handle, agent_id, api_key, default_session_id: '' });
    } else {
      const config = readDemoConfig(home);
      if (config === undefined || !known.has(config.agent_id)) return [];
      // The relay may listen elsewhere than last time.
      if (config.relay_url !== url) writeConfigFile(home, { ...config, relay_url: url });
    }
    demoAgents.push({ handle, home });
  }
  return demoAgents;
}

function readDemoConfig(home: string): WorkstationConfig | undefined {
  const path = join(home, 'config.json');
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as WorkstationConfig) : undefined;
}

async function answerOf<Answer>(request: Promise<Response>): Promise<Answer> {
  const response = await request;
  if (!response.ok) throw new Error(`The relay answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

function titleCase(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
