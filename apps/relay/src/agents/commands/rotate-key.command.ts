import type { Principal } from '@agentrelay/protocol';
import { Command } from '@nestjs/cqrs';
import type { Identity, Invocation, IssuedKey } from '../../identity';

/** How long old keys work on after a rotation, unless it says otherwise. */
export const DEFAULT_OVERLAP_SECONDS = 60;

/** Issues a new key and lets older ones die after an overlap, so that nothing in use breaks meanwhile. */
export class RotateKey extends Command<IssuedKey> {
  constructor(
    readonly agentId: string,
    readonly rotation: {
      principal: Principal;
      /** Only this key dies; undefined for all of the principal's. */
      replaces: string | undefined;
      overlapSeconds: number;
    },
    readonly invocation: Invocation<Identity>,
  ) {
    super();
  }
}
