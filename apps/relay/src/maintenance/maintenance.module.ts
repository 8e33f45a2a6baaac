import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { ScheduleModule } from '@nestjs/schedule';
import { HandoffsModule } from '../handoffs';
import { MaintenanceRepository } from './maintenance.repository';
import { MaintenanceService } from './maintenance.service';

/** Retention and the finishing of interrupted work, on a schedule. */
@Module({
  imports: [CqrsModule, HandoffsModule, ScheduleModule.forRoot()],
  providers: [MaintenanceRepository, MaintenanceService],
})
export class MaintenanceModule {}
