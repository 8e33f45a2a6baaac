import { RelayConnection } from './relay-connection';
import type { MintedInvite, NewAgent, NewInvite, RegisteredAgent } from './rest-shapes';

/** Each of these issues a secret that is shown once, so that a lost answer cannot be asked for again. */
const ONCE = { attempts: 1 };

/** Registers an agent, as an administrator. @throws RelayRefusal, OutcomeUnknown */
export async function registerAgent(url: string, adminToken: string, agent: NewAgent): Promise<RegisteredAgent> {
  const relay = new RelayConnection({ url, token: adminToken });
  return (await relay.request('POST', '/admin/agents', agent, ONCE)) as RegisteredAgent;
}

/** Makes a link that registers one agent, once, as an administrator. @throws RelayRefusal, OutcomeUnknown */
export async function mintInvite(url: string, adminToken: string, invite: NewInvite): Promise<MintedInvite> {
  const relay = new RelayConnection({ url, token: adminToken });
  return (await relay.request('POST', '/admin/invites', invite, ONCE)) as MintedInvite;
}

/** Turns an invite into an agent with a key. @throws RelayRefusal, OutcomeUnknown */
export async function redeemInvite(
  url: string,
  { jti, token }: { jti: string; token: string },
  displayName: string | undefined,
): Promise<RegisteredAgent> {
  const body = { token, ...(displayName !== undefined && { display_name: displayName }) };
  const relay = new RelayConnection({ url });
  return (await relay.request('POST', `/invites/${encodeURIComponent(jti)}/redeem`, body, ONCE)) as RegisteredAgent;
}
