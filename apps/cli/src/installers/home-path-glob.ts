import { relative } from 'node:path';
import type { ClientSetup } from './client';

/** The folder with this workstation's key, as a path pattern of a client: below the home folder, or absolute. */
export function homePattern(
  { userHome, agentRelayHome }: Pick<ClientSetup, 'userHome' | 'agentRelayHome'>,
  home: string,
  root: string,
): string {
  const below = relative(userHome, agentRelayHome).replaceAll('\\', '/');
  return below.startsWith('..') || below === '' ? root + agentRelayHome.replace(/^\/+/, '') : home + below;
}
