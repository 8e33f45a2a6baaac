import { shellWord } from '@agentrelay/untrusted-text';
import { readConfigFile } from '@agentrelay/workstation';
import { adminToken } from '../admin-token';
import { CommandFailed } from '../command-failed';
import { newcomers } from '../admin-client';
import type { Output } from '../output';
import { stopAsking } from '../prompts';
import { home, relayUrl } from '../relay';

interface Options {
  inviter?: string;
  role?: string;
  email?: string;
  expires: number;
  relay?: string;
  insecure?: boolean;
}

/** Makes a link that registers one newcomer, once, or gives an agent that is registered a new key. */
export async function run(out: Output, handle: string, options: Options): Promise<void> {
  const { role, email, expires, relay, insecure = false } = options;
  const url = relayUrl(relay, insecure);
  const inviter = options.inviter ?? readConfigFile(home())?.agent_handle;
  if (inviter === undefined) {
    throw new CommandFailed('It is not known who invites.', 'Say so: --inviter <handle of a registered agent>');
  }
  const token = await adminToken();
  stopAsking();
  const invite = await newcomers.mint(url, token, {
    handle,
    inviter_handle: inviter,
    expires_in_seconds: expires,
    ...(role !== undefined && { role }),
    ...(email !== undefined && { email }),
  });
  const replaces = invite.replaces_keys === true;
  // The workstation that lost its key is still connected as the agent.
  const command = `agentrelay join ${shellWord(invite.url)}${replaces ? ' --force' : ''}`;
  const what = replaces
    ? `${handle} is registered: it can get a new key once, until ${invite.expires_at}; then its other agent keys end.`
    : `${handle} can join once, until ${invite.expires_at}.`;
  out.result({ ...invite, handle, command }, [
    `${what} Send them this line; it is a secret until it is used:`,
    '',
    `  ${command}`,
  ]);
}
