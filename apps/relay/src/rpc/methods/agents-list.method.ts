import { LIMITS, type WireRoster } from '@agentrelay/protocol';
import { QueryBus } from '@nestjs/cqrs';
import { ListTeammates, wireTeammate } from '../../agents';
import { PublicUrl } from '../../config';
import { AnswerRoom, Nested, Optional, IsText } from '../../http';
import type { CommandContext } from '../../identity';
import { MethodParams } from '../method.params';
import { PageParams } from '../page.params';
import { type RpcHandler, RpcMethod } from '../rpc-method.decorator';

export class AgentsListParams extends MethodParams {
  @Optional()
  @IsText({ min: 1, max: 'role' })
  role?: string;

  @Optional()
  @IsText({ min: 1, max: 'skill' })
  skill?: string;

  @Optional()
  @IsText({ min: 1, max: 'repo' })
  repo?: string;

  @Nested(PageParams)
  page?: PageParams;
}

/** Lists the active teammates; without `page` as many as one answer holds. */
@RpcMethod({
  name: 'agents/list',
  summary: 'Lists the active teammates; without `page` as many as one answer holds, at most 5,000.',
  params: AgentsListParams,
  writes: false,
})
export class AgentsListMethod implements RpcHandler<AgentsListParams> {
  constructor(
    private readonly queries: QueryBus,
    private readonly publicUrl: PublicUrl,
  ) {}

  async handle(params: AgentsListParams, { room = new AnswerRoom() }: CommandContext): Promise<WireRoster> {
    const { role, skill, repo, page } = params;
    const limit = page === undefined ? undefined : (page.limit ?? LIMITS.listPageDefault);
    const filter = { role, skill, repo, after: page?.cursor, limit };
    const { agents, nextAfter } = await this.queries.execute(new ListTeammates(filter, room));
    return {
      teammates: agents.map((profile) => wireTeammate(profile, this.publicUrl.card(profile.handle))),
      next_cursor: nextAfter,
    };
  }
}
