import { McpSession, type TestAgent, useRelay } from '@agentrelay/testing';

const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const relay = useRelay();

/** Hands something to frank in a call that names this trace, and returns the thread. */
async function sendInTrace(bob: TestAgent, traceparent: string): Promise<string> {
  const session = await McpSession.start({ AGENTRELAY_URL: bob.url, AGENTRELAY_API_KEY: bob.apiKey });
  const { structuredContent } = await session.client.callTool({
    name: 'handoff_to_teammate',
    arguments: { to: 'frank@acme', intent: 'inform', summary: 'Have a look.' },
    _meta: { traceparent },
  });
  await session.stop();
  return (structuredContent as { thread_id: string }).thread_id;
}

describe('the trace that a client tells of', () => {
  it('is carried through the handoff to the recipient’s agent', async () => {
    const { bob, frank } = await relay.pair();
    const thread_id = await sendInTrace(bob, TRACEPARENT);
    const theirs = await McpSession.start({ AGENTRELAY_URL: frank.url, AGENTRELAY_API_KEY: frank.apiKey });
    expect((await theirs.call('accept_handoff', { thread_id })).structured).toMatchObject({ traceparent: TRACEPARENT });
    await theirs.stop();
  });

  it('is left out when it could not stand in a header', async () => {
    const { bob, frank } = await relay.pair();
    const thread_id = await sendInTrace(bob, '00-x\r\nauthorization: Bearer stolen');
    expect(await frank.get(thread_id)).not.toHaveProperty('traceparent');
  });
});
