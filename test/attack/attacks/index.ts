import type { Attack } from '../scene';
import { administration } from './administration';
import { anonymousBodies } from './anonymous-bodies';
import { bigThread } from './big-thread';
import { bodiesInFlight } from './bodies-in-flight';
import { costlyReads } from './costly-reads';
import { endlessStreams } from './endless-streams';
import { generatedBodies } from './generated-bodies';
import { growingValues } from './growing-values';
import { hostileSends } from './hostile-sends';
import { manyConnections } from './many-connections';
import { manyKeys } from './many-keys';
import { oddHttp } from './odd-http';
import { refusals } from './refusals';
import { slowReaders } from './slow-readers';
import { slowSenders } from './slow-senders';
import { stolenKeys } from './stolen-keys';
import { texts } from './texts';

/** Every attack, in the order in which they are carried out. */
export const ATTACKS: readonly Attack[] = [
  anonymousBodies,
  refusals,
  hostileSends,
  endlessStreams,
  bodiesInFlight,
  slowSenders,
  bigThread,
  slowReaders,
  growingValues,
  costlyReads,
  texts,
  manyKeys,
  stolenKeys,
  administration,
  manyConnections,
  oddHttp,
  generatedBodies,
];
