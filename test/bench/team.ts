import { restCall } from '../../libs/testing/src/test-agent';
import { ADMIN_TOKEN } from './relay-program';

export interface Member {
  handle: string;
  agentId: string;
  apiKey: string;
}

/** Registers agents in order of their handles, through its HTTP API. */
export async function registerTeam(url: string, size: number): Promise<Member[]> {
  const team: Member[] = [];
  for (let i = 1; i <= size; i++) {
    const handle = `agent-${String(i).padStart(4, '0')}@bench`;
    const profile = { handle, email: `agent-${i}@bench.example`, display_name: `Agent ${i}`, role: 'developer' };
    const { status, body } = await restCall<{ agent_id: string; api_key: string }>(
      url,
      ADMIN_TOKEN,
      'POST',
      '/admin/agents',
      profile,
    );
    if (status !== 201) throw new Error(`Registering ${handle} gave ${status} ${JSON.stringify(body)}`);
    team.push({ handle, agentId: body.agent_id, apiKey: body.api_key });
  }
  return team;
}

/** A fresh key of an agent that is registered. */
export async function memberOf(url: string, handle: string): Promise<Member> {
  const { status, body } = await restCall<{ api_key: string }>(
    url,
    ADMIN_TOKEN,
    'POST',
    `/admin/agents/${handle}/keys`,
    { label: 'bench' },
  );
  if (status !== 201) throw new Error(`A key for ${handle} gave ${status} ${JSON.stringify(body)}`);
  return whoIs(url, body.api_key);
}

/** Whose key it is. */
export async function whoIs(url: string, apiKey: string): Promise<Member> {
  const { status, body } = await restCall<{ agent_id: string; handle: string }>(url, apiKey, 'GET', '/agents/me');
  if (status !== 200) throw new Error(`The relay does not take a key: ${status} ${JSON.stringify(body)}`);
  return { handle: body.handle, agentId: body.agent_id, apiKey };
}
