import { adminToken } from '../admin-token';
import { connect, makeRoomForKey } from '../connecting';
import { newcomers } from '../admin-client';
import type { Output } from '../output';
import { stopAsking } from '../prompts';
import { relayUrl } from '../relay';

interface Options {
  name?: string;
  role?: string;
  email?: string;
  relay?: string;
  force?: boolean;
  insecure?: boolean;
}

/** Registers an agent, as an administrator, and connects this workstation as it. */
export async function run(out: Output, handle: string, options: Options): Promise<void> {
  const { name, role, email, relay, force = false, insecure = false } = options;
  const url = relayUrl(relay, insecure);
  await makeRoomForKey(handle, url, force);
  const token = await adminToken();
  stopAsking();
  const agent = await newcomers.register(url, token, {
    handle,
    ...(name !== undefined && { display_name: name }),
    ...(role !== undefined && { role }),
    ...(email !== undefined && { email }),
  });
  const { agent_handle, agent_id, relay_url } = connect(url, agent);
  out.result({ handle: agent_handle, agent_id, relay_url }, [
    `${agent_handle} is registered at ${relay_url}, and this workstation holds its key.`,
    'Connect your coding agent: agentrelay install --client all',
  ]);
}
