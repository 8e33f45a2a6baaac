import type { WireAppended } from '@agentrelay/protocol';
import { CommandBus } from '@nestjs/cqrs';
import { Optional, IsText, TextList } from '../../http';
import { AppendDraft, wireAppended } from '../../handoffs';
import type { CommandContext } from '../../identity';
import { TaskParams } from '../method.params';
import { type RpcHandler, RpcMethod } from '../rpc-method.decorator';

export class TasksDraftParams extends TaskParams {
  @IsText({ max: 'draftedDiff' })
  drafted_diff!: string;

  @TextList({ maxEntries: 'targetFiles', max: 'proposedActionText' })
  drafted_files!: string[];

  @IsText({ min: 1, max: 'proposedActionText' })
  rationale!: string;

  @Optional()
  @IsText({ min: 1, max: 'proposedActionText' })
  alternatives_considered?: string;
}

/** Records a drafted diff on an accepted proposal; applies nothing. */
@RpcMethod({
  name: 'tasks/draft',
  summary: 'Records a drafted diff on an accepted proposal; applies nothing.',
  params: TasksDraftParams,
  writes: true,
})
export class TasksDraftMethod implements RpcHandler<TasksDraftParams> {
  constructor(private readonly commands: CommandBus) {}

  async handle(params: TasksDraftParams, context: CommandContext): Promise<WireAppended> {
    const { drafted_diff, drafted_files, rationale, alternatives_considered } = params;
    const draft = {
      drafted_diff,
      drafted_files,
      ...(alternatives_considered === undefined ? {} : { alternatives_considered }),
    };
    const args = { handoffId: params.task_id.toLowerCase(), rationale, draft };
    return wireAppended(await this.commands.execute(new AppendDraft(args, context)));
  }
}
