import { DEFAULT_LIMITS, LIMITS, PRINCIPALS, type Principal } from '@agentrelay/protocol';
import {
  IsUuid,
  IsIsoTime,
  IsIn,
  Optional,
  PageLimit,
  ValidateWith,
  stringFault,
  IsText,
  TextList,
  IsBoolean,
  IsInt,
} from '../http';

const EMAIL = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+\.[^\s@<>"(),:;\\[\]]+$/;

export function emailFault(value: unknown): string | undefined {
  return stringFault(value, 1, 254) ?? (EMAIL.test(value as string) ? undefined : 'must be an e-mail address');
}

export class CardDto {
  @Optional()
  @IsText({ max: 'description' })
  description?: string;

  @Optional()
  @TextList({ maxEntries: 'skills', max: 'skill' })
  skills?: string[];

  @Optional()
  @TextList({ maxEntries: 'repos', max: 'repo' })
  repos_owned?: string[];
}

export class RegisterAgentDto extends CardDto {
  @IsText({ min: 1, max: 'handleLength' })
  handle!: string;

  @Optional()
  @ValidateWith('e-mail address', emailFault)
  email?: string;

  @Optional()
  @IsText({ min: 1, max: 'displayName' })
  display_name?: string;

  @Optional()
  @IsText({ max: 'role' })
  role?: string;
}

export class IssueKeyDto {
  @Optional()
  @IsIn(PRINCIPALS)
  principal?: Principal;

  @Optional()
  @IsText({ min: 1, max: 100 })
  label?: string;

  @Optional()
  @IsIsoTime()
  expires_at?: string;
}

export class BlockDto {
  @IsText({ min: 1, max: 'handleLength' })
  handle!: string;

  @Optional()
  @IsText({ max: 'blockReason' })
  reason?: string;
}

export class AgentsPageDto {
  @PageLimit(LIMITS.listPage)
  limit?: number;

  @Optional()
  @IsText({ min: 1, max: 'handleLength' })
  cursor?: string;
}

export class UpdateAgentDto {
  @Optional()
  @IsText({ min: 1, max: 'displayName' })
  display_name?: string;

  @Optional()
  @IsText({ max: 'role' })
  role?: string;

  /** Only re-enabling: disabling is a DELETE, because more than the status changes. */
  @Optional()
  @IsIn(['active'])
  status?: 'active';
}

class OverlapDto {
  @Optional()
  @IsInt(0, DEFAULT_LIMITS.keyOverlapSeconds)
  overlap_seconds?: number;
}

export class RotateKeyDto extends OverlapDto {
  @Optional()
  @IsBoolean()
  keep_others?: boolean;
}

export class RotateAgentKeyDto extends OverlapDto {
  @Optional()
  @IsIn(PRINCIPALS)
  principal?: Principal;
}

export class KeysPageDto {
  @PageLimit(LIMITS.listPage)
  limit?: number;

  @Optional()
  @IsUuid()
  cursor?: string;
}

export class EndKeyDto {
  /** What the key made ends with it, unless it is to be kept. */
  @Optional()
  @IsIn(['end', 'keep'])
  descendants?: 'end' | 'keep';
}

export class RosterFilterDto {
  @Optional()
  @IsText({ min: 1, max: 'handleLength' })
  cursor?: string;

  @Optional()
  @IsText({ min: 1, max: 'role' })
  role?: string;

  @Optional()
  @IsText({ min: 1, max: 'skill' })
  skill?: string;

  @Optional()
  @IsText({ min: 1, max: 'repo' })
  repo?: string;
}
