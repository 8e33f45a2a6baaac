import { LIMITS, type WireList } from '@agentrelay/protocol';
import { Controller, Get, type PipeTransform, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { DtoPipe, IsText, Optional, PageLimit, QueryFlag } from '../http';
import { type Caller, CurrentCaller } from '../identity';
import { handoffFilter, ListFilterDto } from './list-filter.dto';
import { ListHandoffs } from './queries/list-handoffs/list-handoffs.query';
import { wireList } from './wire-handoff';

/** In a query string a list is one text, with commas. */
const SPLIT_STATUS: PipeTransform<Record<string, unknown>> = {
  transform: ({ status, ...query }) => ({
    ...query,
    ...(status === undefined ? {} : { status: typeof status === 'string' ? status.split(',') : [status] }),
  }),
};

class InboxQueryDto extends ListFilterDto {
  @PageLimit(LIMITS.listPage)
  limit?: number;

  @Optional()
  @IsText({ min: 1, max: 200 })
  cursor?: string;

  @QueryFlag()
  peek?: boolean;
}

/** The inbox as REST: `tasks/list` with a query string. */
@Controller('agents/me/inbox')
export class InboxRestController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  async list(
    @Query(SPLIT_STATUS, new DtoPipe(InboxQueryDto)) query: InboxQueryDto,
    @CurrentCaller() caller: Caller,
  ): Promise<WireList> {
    const { limit, cursor, peek } = query;
    const page = { limit: limit ?? LIMITS.listPageDefault, cursor, peek: peek ?? false };
    return wireList(await this.queries.execute(new ListHandoffs(handoffFilter(query), page, caller)));
  }
}
