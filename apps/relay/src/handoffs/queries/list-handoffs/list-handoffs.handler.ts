import { type IQueryHandler, QueryHandler } from '@nestjs/cqrs';
import { subjectOf } from '../../../identity';
import { CostlyReads } from '../../../rate-limiting';
import type { HandoffList } from '../../handoff.views';
import { HandoffListRepository, type HandoffListRow } from './handoff-list.repository';
import { decodeCursor, encodeCursor } from './list-cursor';
import { ListHandoffs } from './list-handoffs.query';

@QueryHandler(ListHandoffs)
export class ListHandoffsHandler implements IQueryHandler<ListHandoffs> {
  constructor(
    private readonly handoffs: HandoffListRepository,
    private readonly costlyReads: CostlyReads,
  ) {}

  /** @throws RelayError invalid_params for a cursor that is not ours, or rate_limited for too many text filters at once */
  async execute({ filter, page, caller }: ListHandoffs): Promise<HandoffList> {
    const position = page.cursor === undefined ? undefined : decodeCursor(page.cursor);
    const read = () => this.handoffs.page(filter, page.limit, position, page.peek, caller);
    const { rows, unreadTotal, asOf } = await (filter.text === undefined
      ? read()
      : this.costlyReads.run(subjectOf(caller), read));
    const shown = rows.slice(0, page.limit);
    const last = shown.at(-1);
    const more = rows.length > shown.length && last !== undefined;
    return {
      items: shown.map(listItem),
      nextCursor: more ? encodeCursor({ updatedAt: last.updated_at, id: last.id }) : null,
      unreadTotal,
      asOf: position === undefined ? asOf : undefined,
    };
  }
}

function listItem(row: HandoffListRow): HandoffList['items'][number] {
  return {
    id: row.id,
    status: row.status,
    outcome: row.outcome,
    intent: row.intent,
    sender: row.sender,
    recipient: row.recipient,
    summaryPreview: row.summary_preview,
    unreadMessages: row.unread,
    artifactCount: row.artifact_count,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
