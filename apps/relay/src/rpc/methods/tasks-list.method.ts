import { LIMITS, type WireList } from '@agentrelay/protocol';
import { QueryBus } from '@nestjs/cqrs';
import { Nested, Optional, IsBoolean } from '../../http';
import { handoffFilter, ListFilterDto, ListHandoffs, wireList } from '../../handoffs';
import type { CommandContext } from '../../identity';
import { MethodParams } from '../method.params';
import { PageParams } from '../page.params';
import { type RpcHandler, RpcMethod } from '../rpc-method.decorator';

export class TasksListParams extends MethodParams {
  @Nested(ListFilterDto)
  filter?: ListFilterDto;

  @Nested(PageParams)
  page?: PageParams;

  @Optional()
  @IsBoolean()
  peek?: boolean;
}

/** Lists the caller's handoffs, newest activity first. */
@RpcMethod({
  name: 'tasks/list',
  summary: 'Lists the caller’s handoffs, newest activity first.',
  params: TasksListParams,
  writes: false,
})
export class TasksListMethod implements RpcHandler<TasksListParams> {
  constructor(private readonly queries: QueryBus) {}

  async handle({ filter = {}, page = {}, peek = false }: TasksListParams, { by }: CommandContext): Promise<WireList> {
    const wanted = { limit: page.limit ?? LIMITS.listPageDefault, cursor: page.cursor, peek };
    return wireList(await this.queries.execute(new ListHandoffs(handoffFilter(filter), wanted, by)));
  }
}
