import type { WireTeammate } from '@agentrelay/protocol';
import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { PublicUrl } from '../config';
import { DtoPipe } from '../edge';
import { RosterFilterDto } from './agent.dtos';
import { ListTeammates } from './queries/list-teammates.query';
import { wireTeammate } from './wire-agent';

/** The team, as REST. */
@Controller('agents')
export class RosterController {
  constructor(
    private readonly queries: QueryBus,
    private readonly publicUrl: PublicUrl,
  ) {}

  @Get()
  async list(@Query(new DtoPipe(RosterFilterDto)) filter: RosterFilterDto): Promise<{ teammates: WireTeammate[] }> {
    const { teammates } = await this.queries.execute(new ListTeammates(filter));
    return { teammates: teammates.map((profile) => wireTeammate(profile, this.publicUrl.card(profile.handle))) };
  }
}
