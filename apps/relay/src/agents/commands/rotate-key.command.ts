import type { Principal } from '@agentrelay/protocol';
import { Command } from '@nestjs/cqrs';
import type { Administrator, CommandContext, IssuedKey } from '../../identity';

/** How long old keys work on after a rotation, unless it says otherwise. */
export const DEFAULT_OVERLAP_SECONDS = 60;

/**
 * An administrator gives an agent a new key and lets all others of its principal die after an overlap. Until then they work,
 * but make and end no other key: one that was stolen cannot outlive this.
 */
export class RotateKey extends Command<IssuedKey & { agentId: string }> {
  constructor(
    readonly handle: string,
    readonly rotation: { principal: Principal; overlapSeconds: number },
    readonly context: CommandContext<Administrator>,
  ) {
    super();
  }
}
