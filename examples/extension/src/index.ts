import { Module } from '@nestjs/common';
import { CiStrategy } from './ci.strategy';
import { FreezeController } from './freeze.controller';
import { FreezeIndicator } from './freeze.indicator';
import { FreezePolicy } from './freeze.policy';
import { FreezeStatusMethod } from './freeze-status.method';
import { FreezeStore } from './freeze.store';
import { IntentTally } from './intent-tally.subscriber';

/** Change freezes: announced by an administrator, seen by everybody, kept by a policy. */
@Module({
  controllers: [FreezeController],
  providers: [FreezeStore, FreezePolicy, FreezeStatusMethod, FreezeIndicator, IntentTally, CiStrategy],
})
export class ChangeFreezeModule {}
