import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { AttackedRelay, productionSettings } from './attacked-relay';

/** A route of the relay, its parameters as `:name`. */
export interface Route {
  method: string;
  path: string;
}

/** An address that the relay does not know: it is attacked like the others. */
export const UNKNOWN: Route = { method: 'POST', path: '/nowhere/:x' };

/** Every route that a running relay of this build has registered, HEAD apart, and an unknown address. */
export async function listRoutes(databaseUrl: string, settings: Record<string, string> = {}): Promise<Route[]> {
  const file = join(mkdtempSync(join(tmpdir(), 'agentrelay-routes-')), 'routes.json');
  const relay = await AttackedRelay.start({
    ...productionSettings(databaseUrl),
    ...settings,
    RELAY_EXTENSIONS: resolve('test/attack/route-list.js'),
    ATTACK_ROUTES: file,
  });
  await relay.stop();
  const routes = (JSON.parse(readFileSync(file, 'utf8')) as string[])
    .map((line) => ({ method: line.slice(0, line.indexOf(' ')), path: line.slice(line.indexOf(' ') + 1) }))
    .filter(({ method, path }) => method !== 'HEAD' && !path.includes('*'))
    .sort((a, b) => (a.path + a.method < b.path + b.method ? -1 : 1));
  if (!routes.some(({ path }) => path === '/a2a')) throw new Error(`Not a list of routes: ${JSON.stringify(routes)}`);
  return [...routes, UNKNOWN];
}

export function nameOf({ method, path }: Route): string {
  return `${method} ${path}`;
}
