import { restCall, TestAgent, type TestDatabase } from '@agentrelay/testing';
import type { Target } from './campaign';

type Registered = Record<'agent_id' | 'handle' | 'api_key', string>;

/** The agents that fuzzing speaks as, registered at a relay. */
export async function assemble(url: string, adminToken: string, database: TestDatabase): Promise<Target> {
  const register = async (handle: string): Promise<TestAgent> => {
    const profile = { handle, display_name: handle, role: 'developer' };
    const { body } = await restCall<Registered>(url, adminToken, 'POST', '/admin/agents', profile);
    return new TestAgent(url, body.handle, body.agent_id, body.api_key);
  };
  const agents: TestAgent[] = [];
  for (const handle of ['ann@acme', 'ben@acme', 'cat@acme', 'dan@acme']) agents.push(await register(handle));
  const terms = { principal: 'human', label: 'laptop' };
  const { body } = await restCall<Registered>(url, adminToken, 'POST', '/admin/agents/ann@acme/keys', terms);
  return {
    url,
    agents,
    human: agents[0]!.withKey(body.api_key),
    victim: await register('victim@acme'),
    adminToken,
    database,
  };
}

/** Whether fresh agents can still hand work over: the state it ends in. */
export async function servesAHandoff({ url, adminToken }: Target): Promise<string> {
  const fresh = async (name: string): Promise<TestAgent> => {
    const profile = { handle: `${name}-${Date.now()}@acme` };
    const { body } = await restCall<Registered>(url, adminToken, 'POST', '/admin/agents', profile);
    return new TestAgent(url, body.handle, body.agent_id, body.api_key);
  };
  const [sender, recipient] = [await fresh('sender'), await fresh('recipient')];
  const { task_id } = await sender.send(recipient.handle);
  await recipient.accept(task_id);
  return (await recipient.complete(task_id)).status.state;
}
