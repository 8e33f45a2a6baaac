import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { isDatabaseAway } from '../database';
import { ApiKeysRepository } from './api-keys.repository';

const BATCH = 500;
/** Keys whose use is not recorded yet; beyond it a use goes unrecorded. */
const MAX_PENDING = 10_000;

/**
 * Records when keys were last used, beside the calls that use them: one statement at a time for each replica, so that a
 * database which cannot write keeps one connection busy and no call waiting. A use that cannot be recorded is let go.
 */
@Injectable()
export class LastUses implements OnModuleDestroy {
  private readonly logger = new Logger(LastUses.name);
  private readonly pending = new Set<string>();
  private recording: Promise<void> | undefined;

  constructor(private readonly keys: ApiKeysRepository) {}

  /** Returns at once. */
  note(keyId: string): void {
    if (this.pending.size < MAX_PENDING) this.pending.add(keyId);
    this.recording ??= this.record().finally(() => (this.recording = undefined));
  }

  /** The connections are closed after this. */
  async onModuleDestroy(): Promise<void> {
    await this.recording;
  }

  private async record(): Promise<void> {
    while (this.pending.size > 0) {
      const batch = [...this.pending].slice(0, BATCH);
      for (const keyId of batch) this.pending.delete(keyId);
      try {
        await this.keys.touch(batch);
      } catch (error) {
        if (!isDatabaseAway(error)) this.logger.warn({ err: error }, 'The last use of keys could not be recorded.');
      }
    }
  }
}
