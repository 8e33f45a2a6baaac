import type { HandoffState, Intent, ListRole } from '@agentrelay/protocol';
import { Query } from '@nestjs/cqrs';
import type { Caller } from '../../../identity';
import type { HandoffList } from '../../handoff.views';

export interface HandoffFilter {
  role: ListRole;
  /** Empty for every state. */
  states: HandoffState[];
  intent: Intent | undefined;
  /** Created at or after. */
  since: Date | undefined;
  /** Changed at or after. */
  updatedSince: Date | undefined;
  /** Full handle of the other participant. */
  counterpart: string | undefined;
  /** Part of the summary, whatever its case. */
  text: string | undefined;
}

/** The caller's handoffs, newest activity first. */
export class ListHandoffs extends Query<HandoffList> {
  constructor(
    readonly filter: HandoffFilter,
    /** `peek`: the recipient's having seen them is not noted. */
    readonly page: { limit: number; cursor: string | undefined; peek: boolean },
    readonly caller: Caller,
  ) {
    super();
  }
}
