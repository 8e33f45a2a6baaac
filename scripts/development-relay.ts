import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { startEmbeddedPostgres } from '@agentrelay/embedded-postgres';
import { readConfigFile, writeConfig, writeFileAtomically } from '@agentrelay/workstation';
import { bootRelay, type RunningRelay } from '../apps/relay/src/boot';
import { readSettings } from '../apps/relay/src/config';

/** Root of the checkout, seen from `dist/scripts`. */
export const CHECKOUT = resolve(__dirname, '../..');
/** Everything that development keeps: database, secrets, demo agents. AGENTRELAY_STATE_DIR moves it. */
const STATE = resolve(process.env['AGENTRELAY_STATE_DIR'] || join(CHECKOUT, '.agentrelay'));
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
  const database = isGiven('DATABASE_URL')
    ? undefined
    : await startEmbeddedPostgres({ directory: join(STATE, 'postgres'), durable: true });
  try {
    const ours = { LOG_LEVEL: 'warn', ...secrets, ...(database && { DATABASE_URL: database.url }) };
    const missing = Object.entries(ours).filter(([name]) => !isGiven(name));
    const environment = { ...process.env, ...Object.fromEntries(missing), ...overrides, RELAY_ENV: 'development' };
    const relay = await bootRelay(environment);
    const demoAgents = await findOrRegisterDemoAgents(relay.url, readSettings(environment).RELAY_ADMIN_TOKEN ?? '');
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

/** Whether the environment says it, itself or by the name of a file. */
function isGiven(name: string): boolean {
  return [name, `${name}_FILE`].some((variable) => (process.env[variable] ?? '').trim() !== '');
}

function developmentSecrets(): Secrets {
  const path = join(STATE, 'secrets.json');
  if (existsSync(path)) return JSON.parse(readFileSync(path, 'utf8')) as Secrets;
  const secret = (): string => randomBytes(32).toString('base64url');
  const secrets = { RELAY_KEY_PEPPERS: `dev:${secret()}`, RELAY_ADMIN_TOKEN: secret() };
  writeFileAtomically(path, `${JSON.stringify(secrets, null, 2)}\n`);
  return secrets;
}

/** The demo agents whose keys an earlier start stored here, whatever database they belong to. */
export function demoAgentsOf(): DemoAgent[] {
  return DEMO_HANDLES.map((handle) => ({ handle, home: join(STATE, 'demo', nameOf(handle)) })).filter(
    ({ home }) => readConfigFile(home) !== undefined,
  );
}

/** On an empty database registers two agents; otherwise finds those that an earlier start registered in it. */
async function findOrRegisterDemoAgents(url: string, adminToken: string): Promise<DemoAgent[]> {
  const headers = { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' };
  const { agents } = await answerOf<{ agents: { agent_id: string }[] }>(fetch(`${url}/admin/agents`, { headers }));
  if (agents.length === 0) {
    for (const handle of DEMO_HANDLES) await registerDemoAgent(url, handle, headers);
  }
  const known = new Set(agents.map(({ agent_id }) => agent_id));
  const mine = demoAgentsOf().filter(
    ({ home }) => agents.length === 0 || known.has(readConfigFile(home)?.agent_id ?? ''),
  );
  for (const { home } of mine) {
    const config = readConfigFile(home);
    // The relay may listen elsewhere than last time.
    if (config !== undefined && config.relay_url !== url) writeConfig(home, { ...config, relay_url: url });
  }
  return mine.length === DEMO_HANDLES.length ? mine : [];
}

async function registerDemoAgent(url: string, handle: string, headers: Record<string, string>): Promise<void> {
  const name = nameOf(handle);
  const profile = { handle, email: `${name}@acme.example`, display_name: titleCase(name), role: 'developer' };
  const { agent_id, api_key } = await answerOf<{ agent_id: string; api_key: string }>(
    fetch(`${url}/admin/agents`, { method: 'POST', headers, body: JSON.stringify(profile) }),
  );
  const config = { relay_url: url, agent_handle: handle, agent_id, api_key, default_session_id: null };
  writeConfig(join(STATE, 'demo', name), config);
}

async function answerOf<Answer>(request: Promise<Response>): Promise<Answer> {
  const response = await request;
  if (!response.ok) throw new Error(`The relay answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}

function nameOf(handle: string): string {
  return handle.slice(0, handle.indexOf('@'));
}

function titleCase(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}
