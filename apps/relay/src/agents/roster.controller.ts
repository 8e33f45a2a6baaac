import type { WireRoster } from '@agentrelay/protocol';
import { Controller, Get, Query, Req } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { PublicUrl } from '../config';
import { answerRoomOf, DtoPipe } from '../http';
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

  /** As many as one answer holds; `cursor` reads on. */
  @Get()
  async list(
    @Query(new DtoPipe(RosterFilterDto)) { cursor: after, ...filter }: RosterFilterDto,
    @Req() request: FastifyRequest,
  ): Promise<WireRoster> {
    const query = new ListTeammates({ ...filter, after }, answerRoomOf(request));
    const { agents, nextAfter } = await this.queries.execute(query);
    return {
      teammates: agents.map((profile) => wireTeammate(profile, this.publicUrl.card(profile.handle))),
      next_cursor: nextAfter,
    };
  }
}
