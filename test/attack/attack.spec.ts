import { createDatabase, type TestDatabase } from '@agentrelay/testing';
import { Random } from '../chaos/random';
import { anonymousBodies } from './attacks/anonymous-bodies';
import { bigThread } from './attacks/big-thread';
import { bodiesInFlight } from './attacks/bodies-in-flight';
import { endlessStreams } from './attacks/endless-streams';
import { generatedBodies } from './attacks/generated-bodies';
import { oddHttp } from './attacks/odd-http';
import { carryOut } from './campaign';
import { judge } from './checker';
import { listRoutes, type Route } from './routes';

/** A tenth of `npm run attack`. `ATTACK_SEED` chooses other bodies. */
const SCALE = 0.1;
const SEED = Number(process.env['ATTACK_SEED'] ?? 1);
/** The cluster of the tests is not durable, and says so. */
const ALLOWED = { RELAY_ALLOW_UNSAFE_DURABILITY: 'true' };
const LIMIT_MS = 180_000;

let routes: readonly Route[];
let database: TestDatabase;

beforeAll(async () => {
  const empty = await createDatabase('agentrelay_test_attack_routes', 'migrated');
  routes = await listRoutes(empty.url, ALLOWED);
  await empty.close();
}, LIMIT_MS);

beforeEach(async () => {
  database = await createDatabase('agentrelay_test_attack', 'migrated');
});

afterEach(() => database.close());

describe('a built relay with a heap of 256 MiB', () => {
  it.each([anonymousBodies, endlessStreams, bodiesInFlight, bigThread, oddHttp, generatedBodies])(
    `keeps every rule under attack: $name (seed ${SEED})`,
    async ({ name, settings, run }) => {
      const evidence = await carryOut(
        { name, run, settings: { ...ALLOWED, ...settings } },
        {
          databaseUrl: database.url,
          routes,
          random: new Random(SEED),
          seed: SEED,
          scale: SCALE,
          bystander: undefined,
          say: () => undefined,
        },
      );
      expect(judge(evidence, `ATTACK_SEED=${SEED} npx jest test/attack`, { speed: false }).violations).toEqual([]);
    },
    LIMIT_MS,
  );
});
