import { HANDLE_PATTERN, LIMITS } from '@agentrelay/protocol';
import { AsDate, IsIsoTime, Optional, PageLimit, ValidateWith, stringFault, IsText } from '../http';
import { EVENT_TYPES } from '../events';
import { PUBLISHED_ACTIONS } from './published-actions';

const ACTIONS: readonly string[] = [...EVENT_TYPES, ...Object.keys(PUBLISHED_ACTIONS)];

function actionFault(value: unknown): string | undefined {
  return typeof value === 'string' && ACTIONS.includes(value) ? undefined : `must be one of ${EVENT_TYPES.join(', ')}`;
}

/** What every view of the audit can be narrowed by. */
export class AuditFilterDto {
  @Optional()
  @IsIsoTime()
  @AsDate()
  since?: Date;

  @Optional()
  @ValidateWith('event type', actionFault)
  action?: string;

  /** Handle of who acted. */
  @Optional()
  @ValidateWith(
    'handle',
    (value) =>
      stringFault(value, 1, LIMITS.handleLength) ??
      (HANDLE_PATTERN.test(value as string) ? undefined : 'must be a handle like name@team'),
  )
  from?: string;
}

export class AuditPageDto extends AuditFilterDto {
  @PageLimit(LIMITS.eventPage)
  limit?: number;

  @Optional()
  @IsText({ min: 1, max: 200 })
  cursor?: string;
}

/** The shape that published clients send: their limit is clamped, not refused. */
export class PublishedAuditDto extends AuditFilterDto {
  @PageLimit(999_999_999, 'whole number, clamped to 1,000')
  limit?: number;
}
