import { DEFAULT_LIMITS, LIMITS, PRINCIPALS, type Principal } from '@agentrelay/protocol';
import {
  Id,
  Instant,
  OneOf,
  Optional,
  queryNumberFault,
  Satisfies,
  stringFault,
  Text,
  TextList,
  TrueOrFalse,
  WholeNumber,
} from '../http';

const EMAIL = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+\.[^\s@<>"(),:;\\[\]]+$/;

export function emailFault(value: unknown): string | undefined {
  return stringFault(value, 1, 254) ?? (EMAIL.test(value as string) ? undefined : 'must be an e-mail address');
}

export class CardDto {
  @Optional()
  @Text({ max: 'description' })
  description?: string;

  @Optional()
  @TextList({ maxEntries: 'skills', max: 'skill' })
  skills?: string[];

  @Optional()
  @TextList({ maxEntries: 'repos', max: 'repo' })
  repos_owned?: string[];
}

export class RegisterAgentDto extends CardDto {
  @Text({ min: 1, max: 'handleLength' })
  handle!: string;

  @Optional()
  @Satisfies('e-mail address', emailFault)
  email?: string;

  @Optional()
  @Text({ min: 1, max: 'displayName' })
  display_name?: string;

  @Optional()
  @Text({ max: 'role' })
  role?: string;
}

export class IssueKeyDto {
  @Optional()
  @OneOf(PRINCIPALS)
  principal?: Principal;

  @Optional()
  @Text({ min: 1, max: 100 })
  label?: string;

  @Optional()
  @Instant()
  expires_at?: string;
}

export class BlockDto {
  @Text({ min: 1, max: 'handleLength' })
  handle!: string;

  @Optional()
  @Text({ max: 'blockReason' })
  reason?: string;
}

export class AgentsPageDto {
  @Optional()
  @Satisfies('whole number, 1 to 200', (value) => queryNumberFault(value, LIMITS.listPage))
  limit?: string;

  @Optional()
  @Text({ min: 1, max: 'handleLength' })
  cursor?: string;
}

export class UpdateAgentDto {
  @Optional()
  @Text({ min: 1, max: 'displayName' })
  display_name?: string;

  @Optional()
  @Text({ max: 'role' })
  role?: string;

  /** Only re-enabling: disabling is a DELETE, because more than the status changes. */
  @Optional()
  @OneOf(['active'])
  status?: 'active';
}

class OverlapDto {
  @Optional()
  @WholeNumber(0, DEFAULT_LIMITS.keyOverlapSeconds)
  overlap_seconds?: number;
}

export class RotateKeyDto extends OverlapDto {
  @Optional()
  @TrueOrFalse()
  keep_others?: boolean;
}

export class RotateAgentKeyDto extends OverlapDto {
  @Optional()
  @OneOf(PRINCIPALS)
  principal?: Principal;
}

export class KeysPageDto {
  @Optional()
  @Satisfies('whole number, 1 to 200', (value) => queryNumberFault(value, LIMITS.listPage))
  limit?: string;

  @Optional()
  @Id()
  cursor?: string;
}

export class EndKeyDto {
  /** What the key made ends with it, unless it is to be kept. */
  @Optional()
  @OneOf(['end', 'keep'])
  descendants?: 'end' | 'keep';
}

export class RosterFilterDto {
  @Optional()
  @Text({ min: 1, max: 'handleLength' })
  cursor?: string;

  @Optional()
  @Text({ min: 1, max: 'role' })
  role?: string;

  @Optional()
  @Text({ min: 1, max: 'skill' })
  skill?: string;

  @Optional()
  @Text({ min: 1, max: 'repo' })
  repo?: string;
}
