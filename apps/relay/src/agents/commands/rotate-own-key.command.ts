import { Command } from '@nestjs/cqrs';
import type { CommandContext, IssuedKey } from '../../identity';

/** A new key of the caller, with the end that the calling key had. */
export interface OwnRotation extends IssuedKey {
  expiresAt: Date | null;
}

/**
 * The holder of a key replaces it. The calling key ends after an overlap, so that nothing in use breaks meanwhile; what it made
 * before ends at once, and so do the other keys of its principal unless they are to be kept.
 */
export class RotateOwnKey extends Command<OwnRotation> {
  constructor(
    readonly rotation: { overlapSeconds: number; keepOthers: boolean },
    readonly context: CommandContext,
  ) {
    super();
  }
}
