import { Module } from '@nestjs/common';
import { IdentityModule } from '../identity';
import { AuditController } from './audit.controller';
import { AuditRepository } from './audit.repository';

/** Views and exports of the event log. */
@Module({ imports: [IdentityModule], controllers: [AuditController], providers: [AuditRepository] })
export class AuditModule {}
