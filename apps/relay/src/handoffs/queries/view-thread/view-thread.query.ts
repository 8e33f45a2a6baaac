import { Query } from '@nestjs/cqrs';
import type { AnswerRoom } from '../../../http';
import type { Caller } from '../../../identity';
import type { ReadingWish } from '../../../messages';
import type { ThreadView } from '../../handoff.views';

/** Reads a thread that the caller takes part in. */
export class ViewThread extends Query<ThreadView> {
  constructor(
    readonly handoffId: string,
    readonly wish: ReadingWish,
    readonly caller: Caller,
    readonly room: AnswerRoom,
  ) {
    super();
  }
}
