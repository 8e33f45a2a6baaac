import { testSettings, useRelay } from '@agentrelay/testing';
import { Module } from '@nestjs/common';
import { CommandBus, CqrsModule } from '@nestjs/cqrs';
import { bootRelay } from '../../apps/relay/src/boot';
import {
  CancelHandoff,
  type CommandContext,
  TaskTransition,
  IsText,
  type TransitionHandler,
  TransitionParams,
  type TransitionResult,
} from '../../apps/relay/src/extension';

class RetractParams extends TransitionParams {
  @IsText({ min: 1, max: 'resultSummary' })
  reason!: string;
}

@TaskTransition({ name: 'retract', params: RetractParams })
class RetractTransition implements TransitionHandler<RetractParams> {
  constructor(private readonly commands: CommandBus) {}

  perform(
    { task_id: handoffId, expected_version: expectedVersion }: RetractParams,
    context: CommandContext,
  ): Promise<TransitionResult> {
    return this.commands.execute(new CancelHandoff({ handoffId, expectedVersion }, context));
  }
}

@Module({ imports: [CqrsModule], providers: [RetractTransition] })
class Extension {}

const relay = useRelay();
let running: Awaited<ReturnType<typeof bootRelay>>;
beforeAll(async () => (running = await bootRelay(testSettings(relay.database.url), [Extension])));
afterAll(() => running.app.close());

describe('a transition that an extension registers', () => {
  it('is made by tasks/update with parameters of its own', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send(frank.handle);
    const retract = { task_id, transition: 'retract', reason: 'Not needed.' };
    const done = await bob.at(running.url).call('tasks/update', retract);
    expect(done).toMatchObject({ status: { state: 'cancelled' }, version: 2 });
    expect((await bob.get(task_id)).status).toEqual({ state: 'cancelled' });
    // A relay without the extension does not know it.
    expect((await bob.refusal('tasks/update', { task_id, transition: 'retract' })).message).toBe(
      'transition must be one of accept, cancel, complete.',
    );
  });

  it('is checked by its own DTO, and its parameters are refused with any other transition', async () => {
    const { bob, frank } = await relay.pair();
    const { task_id } = await bob.send(frank.handle);
    const refusal = (params: object): Promise<{ message: string }> =>
      bob.at(running.url).refusal('tasks/update', { task_id, ...params });
    expect((await refusal({ transition: 'retract' })).message).toMatch(/^reason /);
    expect((await refusal({ transition: 'cancel', reason: 'x' })).message).toBe(
      'reason does not belong to the transition cancel; leave it out.',
    );
    expect((await refusal({ transition: 'reject' })).message).toMatch(/accept, cancel, complete, retract/);
    expect((await bob.get(task_id)).status).toEqual({ state: 'pending' });
  });
});
