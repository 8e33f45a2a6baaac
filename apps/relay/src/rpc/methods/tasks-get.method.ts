import type { WireThread } from '@agentrelay/protocol';
import { QueryBus } from '@nestjs/cqrs';
import { PublicUrl } from '../../config';
import { AnswerRoom, Optional, IsBoolean, IsInt } from '../../http';
import { ViewThread, wireThread } from '../../handoffs';
import type { CommandContext } from '../../identity';
import { TaskParams } from '../method.params';
import { type RpcHandler, RpcMethod } from '../rpc-method.decorator';

const MAX_SEQUENCE_NO = 2_147_483_647;

export class TasksGetParams extends TaskParams {
  @Optional()
  @IsBoolean()
  mark_read?: boolean;

  @Optional()
  @IsInt(0, MAX_SEQUENCE_NO)
  history_length?: number;

  @Optional()
  @IsInt(0, MAX_SEQUENCE_NO)
  after_sequence_no?: number;
}

/** Reads a thread. */
@RpcMethod({
  name: 'tasks/get',
  summary: 'Reads a thread, and moves the reader’s position unless `mark_read` is false.',
  params: TasksGetParams,
  writes: false,
})
export class TasksGetMethod implements RpcHandler<TasksGetParams> {
  constructor(
    private readonly queries: QueryBus,
    private readonly publicUrl: PublicUrl,
  ) {}

  async handle(params: TasksGetParams, { by, room = new AnswerRoom() }: CommandContext): Promise<WireThread> {
    const wish = {
      afterSequenceNo: params.after_sequence_no ?? 0,
      historyLength: params.history_length,
      markRead: params.mark_read ?? true,
    };
    const thread = await this.queries.execute(new ViewThread(params.task_id, wish, by, room));
    return wireThread(thread, this.publicUrl.inbox(thread.id));
  }
}
