import { type TestAgent, useRelay } from '@agentrelay/testing';
import fc from 'fast-check';
import { history } from './histories';
import { replay } from './replay';
import { HISTORIES, LIMIT_MS, SEED } from './scale';
import { HANDLES } from './state';
import { AGENT_IDS } from './views';

const relay = useRelay();

/** Everything that a history leaves behind; agents and their keys stay. */
const CLEAR = `
  WITH a AS (DELETE FROM idempotency_records), b AS (DELETE FROM read_positions), c AS (DELETE FROM messages),
    d AS (DELETE FROM events), e AS (DELETE FROM blocks), f AS (DELETE FROM handoffs)
  SELECT`;

describe('random histories of four agents', () => {
  it(
    `go as the model of domain.md says, answer by answer and in the tables (${HISTORIES} histories, seed ${SEED})`,
    async () => {
      const agents: TestAgent[] = [];
      for (const handle of HANDLES) agents.push(await relay.agent(handle));
      AGENT_IDS.splice(0, AGENT_IDS.length, ...agents.map(({ agentId }) => agentId));
      await fc.assert(
        fc.asyncProperty(history, async (steps) => {
          await relay.database.query(CLEAR);
          await replay(steps, agents, relay.database);
        }),
        { seed: SEED, numRuns: HISTORIES, plugins: [fc.interruptAfterTimeLimit(LIMIT_MS, { failOnInterrupt: true })] },
      );
    },
    LIMIT_MS + 30_000,
  );
});
