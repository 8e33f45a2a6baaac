import type { HandoffState, Outcome } from '@agentrelay/protocol';
import type { ThreadEventType } from '../../events';
import type { NewMessage } from '../../messages';
import type { LockedHandoff } from '../locked-handoff';
import type { ActionRule, Refusal } from './handoff-state';

/** What is done to a handoff, and what that takes. */
export interface ThreadAction {
  /** Its verb, as refusals name it. */
  readonly verb: string;
  readonly rule: ActionRule;
  /** What to tell whoever is refused, where the verb alone does not say it. */
  readonly advice?: Partial<Record<Refusal, string>>;
  /** Whether it addresses the other participant: that one must be active then. */
  readonly addressesCounterpart?: boolean;
  /** Whether a block between the participants refuses it. */
  readonly refusedByBlock: boolean;
  /** Whether it counts as a transition, and moves the version. */
  readonly movesVersion: boolean;
  /** Whether it is refused when the thread would hold more messages or bytes than it may. */
  readonly boundedByThread?: boolean;
}

/** What the writing statement itself finds: the time of the write, and the version that the handoff has then. */
export interface Fact {
  readonly fact: 'at' | 'version';
}

export interface Assignments {
  readonly status?: HandoffState;
  readonly outcome?: Outcome;
  readonly accepted_at?: Fact;
  readonly accepted_version?: Fact;
  readonly accepted_session_id?: string | null;
  readonly completed_at?: Fact;
  readonly cancelled_at?: Fact;
}

/** One write of a participant's on an existing handoff. `ThreadWriter` runs it. */
export interface ThreadWrite {
  readonly action: ThreadAction;
  readonly event: ThreadEventType;
  readonly expectedVersion?: number | undefined;
  /** The columns that it sets beside those that every write sets. */
  readonly set?: Assignments;
  readonly message?: NewMessage;
  /** What it needs besides, looked at last. @throws RelayError */
  check?(handoff: LockedHandoff): void;
}
