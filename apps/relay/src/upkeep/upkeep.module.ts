import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ScheduleModule } from '@nestjs/schedule';
import { HandoffsModule } from '../handoffs';
import { UpkeepRepository } from './upkeep.repository';
import { UpkeepService } from './upkeep.service';

/** Retention and the finishing of interrupted work, on a schedule. */
@Module({
  imports: [CqrsModule, HandoffsModule, ScheduleModule.forRoot()],
  providers: [UpkeepRepository, UpkeepService],
})
export class UpkeepModule {}
