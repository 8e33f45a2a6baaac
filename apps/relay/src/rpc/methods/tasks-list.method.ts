import {
  canonicalHandle,
  HANDOFF_STATES,
  type HandoffState,
  type Intent,
  INTENTS,
  LIMITS,
  LIST_ROLES,
  type ListRole,
  type WireList,
} from '@agentrelay/protocol';
import { QueryBus } from '@nestjs/cqrs';
import { Instant, Nested, OneOf, Optional, SomeOf, Text, WholeNumber } from '../../edge';
import { ListHandoffs } from '../../handoffs';
import type { Invocation } from '../../identity';
import { encodeList } from '../encode';
import { MethodParams } from '../method.params';
import { type RpcHandler, RpcMethod } from '../rpc-method.decorator';

export class ListFilterParams {
  @Optional()
  @OneOf(LIST_ROLES)
  role?: ListRole;

  @Optional()
  @SomeOf(HANDOFF_STATES)
  status?: HandoffState[];

  @Optional()
  @OneOf(INTENTS)
  intent?: Intent;

  @Optional()
  @Instant()
  since?: string;

  @Optional()
  @Instant()
  updated_since?: string;

  @Optional()
  @Text({ min: 1, max: LIMITS.handleLength })
  counterpart?: string;

  @Optional()
  @Text({ min: 1, max: LIMITS.summaryPreview })
  text?: string;
}

export class PageParams {
  @Optional()
  @WholeNumber(1, LIMITS.listPage)
  limit?: number;

  @Optional()
  @Text({ min: 1, max: 200 })
  cursor?: string;
}

export class TasksListParams extends MethodParams {
  @Nested(ListFilterParams)
  filter?: ListFilterParams;

  @Nested(PageParams)
  page?: PageParams;
}

/** Lists the caller's handoffs, newest activity first. */
@RpcMethod({ name: 'tasks/list', params: TasksListParams, writes: false })
export class TasksListMethod implements RpcHandler<TasksListParams> {
  constructor(private readonly queries: QueryBus) {}

  async handle({ filter = {}, page = {} }: TasksListParams, { by }: Invocation): Promise<WireList> {
    const wanted = {
      role: filter.role ?? 'recipient',
      states: filter.status ?? [],
      intent: filter.intent,
      since: instant(filter.since),
      updatedSince: instant(filter.updated_since),
      counterpart: filter.counterpart === undefined ? undefined : canonicalHandle(filter.counterpart),
      text: filter.text,
    };
    const limits = { limit: page.limit ?? LIMITS.listPageDefault, cursor: page.cursor };
    return encodeList(await this.queries.execute(new ListHandoffs(wanted, limits, by)));
  }
}

function instant(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
