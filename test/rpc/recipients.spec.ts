import { text, useRelay } from '@agentrelay/testing';

const relay = useRelay();

describe('a recipient', () => {
  it.each(['frank@acme', 'Frank@Acme', 'FRANK@ACME', 'frank', 'FRANK'])(
    'written %s is frank@acme, and the answer shows the canonical handle',
    async (recipient) => {
      const { bob, frank } = await relay.pair();
      const sent = await bob.send(recipient);
      expect(sent.recipient).toBe('frank@acme');
      expect((await frank.get(sent.task_id)).recipient).toEqual({
        handle: 'frank@acme',
        name: 'The agent frank@acme',
        role: 'developer',
      });
    },
  );

  it.each([
    ['unknown', 'nobody@acme'],
    ['of another team', 'frank@other'],
    ['an unknown bare name', 'nobody'],
    ['a bare name that two agents have', 'grace'],
    ['disabled', 'dora@acme'],
    ['a bare name of a disabled agent', 'dora'],
  ])('who is %s is not found', async (_, recipient) => {
    const { bob } = await relay.pair();
    await relay.agent('grace@acme');
    await relay.agent('grace@labs');
    const dora = await relay.agent('dora@acme');
    await relay.database.query(`UPDATE agents SET status = 'disabled' WHERE id = $1`, [dora.agentId]);
    expect(await bob.refusal('message/send', { recipient, message: text('x') })).toMatchObject({
      symbol: 'recipient_not_found',
      code: -32004,
      status: 404,
      message: `No teammate has the handle ${recipient}; list the teammates to find the right one.`,
    });
  });

  it('with a bare name is found when the only other agent of that name is disabled', async () => {
    const { bob } = await relay.pair();
    await relay.agent('grace@acme');
    const former = await relay.agent('grace@labs');
    await relay.database.query(`UPDATE agents SET status = 'disabled' WHERE id = $1`, [former.agentId]);
    expect((await bob.send('grace')).recipient).toBe('grace@acme');
  });

  it.each(['bob@acme', 'BOB@acme', 'bob'])('who is the sender (%s) is refused as invalid', async (recipient) => {
    const { bob } = await relay.pair();
    expect(await bob.refusal('message/send', { recipient, message: text('x') })).toMatchObject({
      symbol: 'invalid_params',
      details: { field: 'recipient' },
    });
  });

  it.each([
    '',
    ' frank@acme',
    'frank @acme',
    'frank@',
    '@acme',
    'frank@acme@acme',
    'fränk@acme',
    'a,b',
    'x'.repeat(121),
  ])('written %p is no handle', async (recipient) => {
    const { bob } = await relay.pair();
    expect(await bob.refusal('message/send', { recipient, message: text('x') })).toMatchObject({
      symbol: 'invalid_params',
      details: { faults: [{ field: 'recipient' }] },
    });
  });

  it('who was disabled takes no message on an old thread', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id: id } = await bob.send('frank@acme');
    await relay.database.query(`UPDATE agents SET status = 'disabled' WHERE id = $1`, [frank.agentId]);
    expect((await bob.refusal('message/send', { task_id: id, message: text('x') })).symbol).toBe('recipient_not_found');
  });
});

async function hints(recipient: string): Promise<unknown> {
  const sender = await relay.agent('wilhelmina@acme');
  for (const name of ['frank', 'franka', 'franko', 'franke', 'zoe']) await relay.agent(`${name}@acme`);
  await relay.admin('DELETE', '/admin/agents/franke@acme');
  const refusal = await sender.refusal('message/send', { recipient, message: text('x') });
  expect(refusal.symbol).toBe('recipient_not_found');
  return refusal.details;
}

describe('a recipient that nobody is', () => {
  it.each([
    ['a mistyped handle', 'farnk@acme', ['frank@acme', 'franka@acme', 'franko@acme']],
    ['a mistyped handle in capitals', 'ZOEE@ACME', ['zoe@acme']],
    ['a mistyped bare name', 'zo', ['zoe@acme']],
    ['the handle of somebody who left', 'franke@acme', ['frank@acme', 'franka@acme', 'franko@acme']],
    ['the bare name of somebody who left', 'franke', ['frank@acme', 'franka@acme', 'franko@acme']],
    ['something else altogether', 'quartermaster@warehouse', []],
  ])('%s (%s) is met with at most three near handles of active teammates, the nearest first', async (_, to, near) => {
    expect(await hints(to)).toEqual({ did_you_mean: near });
  });
});
