import { restCall, TestAgent } from './test-agent';

/** Registers an agent at a relay, and returns it with its key. */
export async function registerAgent(
  url: string,
  adminToken: string,
  handle: string,
  profile: object = {},
): Promise<TestAgent> {
  const registered = await restCall<{ agent_id: string; handle: string; api_key: string }>(
    url,
    adminToken,
    'POST',
    '/admin/agents',
    {
      handle,
      email: `${handle.toLowerCase().replace('@', '.')}@acme.example`,
      display_name: `The agent ${handle}`,
      role: 'developer',
      ...profile,
    },
  );
  if (registered.status !== 201) throw new Error(`Registering ${handle} gave ${JSON.stringify(registered.body)}`);
  return new TestAgent(url, registered.body.handle, registered.body.agent_id, registered.body.api_key);
}
