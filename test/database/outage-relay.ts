import { registerAgent, TEST_ADMIN_TOKEN, type TestAgent, testSettings } from '@agentrelay/testing';
import { bootRelay, type RunningRelay } from '../../apps/relay/src/boot';

/** Two replicas on a database of the caller's, with bob and frank. */
export class OutageRelay {
  private constructor(
    readonly replicas: [RunningRelay, RunningRelay],
    readonly bob: TestAgent,
    readonly frank: TestAgent,
  ) {}

  static async start(settings: Record<string, string>): Promise<OutageRelay> {
    const environment = { ...testSettings(''), ...settings };
    const first = await bootRelay(environment);
    const second = await bootRelay(environment);
    const [bob, frank] = [
      await registerAgent(first.url, TEST_ADMIN_TOKEN, 'bob@acme'),
      await registerAgent(first.url, TEST_ADMIN_TOKEN, 'frank@acme'),
    ];
    return new OutageRelay([first, second], bob, frank);
  }

  /** Whether every replica calls itself ready. */
  async ready(): Promise<boolean> {
    const answers = await Promise.all(this.replicas.map(({ url }) => fetch(`${url}/readyz`)));
    return answers.every(({ status }) => status === 200);
  }

  async stop(): Promise<void> {
    for (const { app } of this.replicas) await app.close();
  }
}
