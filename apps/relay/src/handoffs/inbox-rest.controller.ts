import { LIMITS, type WireList } from '@agentrelay/protocol';
import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { DtoPipe, OneOf, Optional, queryNumberFault, readDto, Satisfies, Text } from '../edge';
import { type Caller, FromCaller } from '../identity';
import { handoffFilter, ListFilterDto } from './list-filter.dto';
import { ListHandoffs } from './queries/list-handoffs/list-handoffs.query';
import { wireList } from './wire-handoff';

/** A query string: every value is text, and `status` a list separated by commas. */
class InboxQueryDto {
  @Optional()
  @Text({ min: 1, max: 40 })
  role?: string;

  @Optional()
  @Text({ min: 1, max: 100 })
  status?: string;

  @Optional()
  @Text({ min: 1, max: 40 })
  intent?: string;

  @Optional()
  @Text({ min: 1, max: 40 })
  since?: string;

  @Optional()
  @Text({ min: 1, max: 40 })
  updated_since?: string;

  @Optional()
  @Text({ min: 1, max: 'handleLength' })
  counterpart?: string;

  @Optional()
  @Text({ min: 1, max: 'summaryPreview' })
  text?: string;

  @Optional()
  @Satisfies('whole number, 1 to 200', (value) => queryNumberFault(value, LIMITS.listPage))
  limit?: string;

  @Optional()
  @Text({ min: 1, max: 200 })
  cursor?: string;

  @Optional()
  @OneOf(['true', 'false'])
  peek?: 'true' | 'false';
}

/** The inbox as REST: `tasks/list` with a query string. */
@Controller('agents/me/inbox')
export class InboxRestController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  async list(@Query(new DtoPipe(InboxQueryDto)) query: InboxQueryDto, @FromCaller() caller: Caller): Promise<WireList> {
    const { limit, cursor, peek, status, ...rest } = query;
    const filter = readDto(ListFilterDto, { ...rest, ...(status === undefined ? {} : { status: status.split(',') }) });
    const page = { limit: Number(limit ?? LIMITS.listPageDefault), cursor, peek: peek === 'true' };
    return wireList(await this.queries.execute(new ListHandoffs(handoffFilter(filter), page, caller)));
  }
}
