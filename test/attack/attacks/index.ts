import type { Attack } from '../scene';
import { anonymousBodies } from './anonymous-bodies';
import { bigThread } from './big-thread';
import { costlyReads } from './costly-reads';
import { endlessStreams } from './endless-streams';
import { generatedBodies } from './generated-bodies';
import { manyKeys } from './many-keys';

/** Every attack, in the order in which they are carried out. */
export const ATTACKS: readonly Attack[] = [
  anonymousBodies,
  endlessStreams,
  bigThread,
  manyKeys,
  costlyReads,
  generatedBodies,
];
