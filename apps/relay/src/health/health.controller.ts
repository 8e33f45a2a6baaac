import { Controller, Get, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public } from '../identity';
import { Readiness, type ReadinessReport } from './readiness';

/** Probes. Liveness looks at the process alone; readiness says whether requests can be served. */
@Public()
@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('healthz')
  live(): { status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('readyz')
  ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessReport> {
    return this.report(reply);
  }

  @Get('startupz')
  started(@Res({ passthrough: true }) reply: FastifyReply): Promise<ReadinessReport> {
    return this.report(reply);
  }

  private async report(reply: FastifyReply): Promise<ReadinessReport> {
    const report = await this.readiness.report();
    if (report.status !== 'ok') void reply.status(503);
    return report;
  }
}
