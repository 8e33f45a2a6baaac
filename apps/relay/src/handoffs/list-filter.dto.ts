import {
  canonicalHandle,
  HANDOFF_STATES,
  type HandoffState,
  type Intent,
  INTENTS,
  LIST_ROLES,
  type ListRole,
} from '@agentrelay/protocol';
import { IsIsoTime, IsIn, Optional, SomeOf, IsText } from '../http';
import type { HandoffFilter } from './queries/list-handoffs/list-handoffs.query';

/** Which handoffs a list wants, as every API asks. */
export class ListFilterDto {
  @Optional()
  @IsIn(LIST_ROLES)
  role?: ListRole;

  @Optional()
  @SomeOf(HANDOFF_STATES)
  status?: HandoffState[];

  @Optional()
  @IsIn(INTENTS)
  intent?: Intent;

  @Optional()
  @IsIsoTime()
  since?: string;

  @Optional()
  @IsIsoTime()
  updated_since?: string;

  @Optional()
  @IsText({ min: 1, max: 'handleLength' })
  counterpart?: string;

  @Optional()
  @IsText({ min: 1, max: 'summaryPreview' })
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
