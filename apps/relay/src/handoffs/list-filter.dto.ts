import {
  canonicalHandle,
  HANDOFF_STATES,
  type HandoffState,
  type Intent,
  INTENTS,
  LIST_ROLES,
  type ListRole,
} from '@agentrelay/protocol';
import { Instant, OneOf, Optional, SomeOf, Text } from '../http';
import type { HandoffFilter } from './queries/list-handoffs/list-handoffs.query';

/** Which handoffs a list wants, as every door asks. */
export class ListFilterDto {
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
  @Text({ min: 1, max: 'handleLength' })
  counterpart?: string;

  @Optional()
  @Text({ min: 1, max: 'summaryPreview' })
  text?: string;
}

export function handoffFilter(dto: ListFilterDto): HandoffFilter {
  return {
    role: dto.role ?? 'recipient',
    states: dto.status ?? [],
    intent: dto.intent,
    since: instant(dto.since),
    updatedSince: instant(dto.updated_since),
    counterpart: dto.counterpart === undefined ? undefined : canonicalHandle(dto.counterpart),
    text: dto.text,
  };
}

function instant(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
