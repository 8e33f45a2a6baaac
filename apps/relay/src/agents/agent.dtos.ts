import { LIMITS, PRINCIPALS, type Principal } from '@agentrelay/protocol';
import { Instant, OneOf, Optional, Satisfies, stringFault, Text, TextList } from '../edge';

const EMAIL = /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+\.[^\s@<>"(),:;\\[\]]+$/;

function emailFault(value: unknown): string | undefined {
  return stringFault(value, 1, 254) ?? (EMAIL.test(value as string) ? undefined : 'must be an e-mail address');
}

export class CardDto {
  @Optional()
  @Text({ max: LIMITS.description })
  description?: string;

  @Optional()
  @TextList({ maxEntries: LIMITS.skills, max: LIMITS.skill })
  skills?: string[];

  @Optional()
  @TextList({ maxEntries: LIMITS.repos, max: LIMITS.repo })
  repos_owned?: string[];
}

export class RegisterAgentDto extends CardDto {
  @Text({ min: 1, max: LIMITS.handleLength })
  handle!: string;

  @Optional()
  @Satisfies('email', emailFault)
  email?: string;

  @Optional()
  @Text({ min: 1, max: LIMITS.displayName })
  display_name?: string;

  @Optional()
  @Text({ max: LIMITS.role })
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
  @Text({ min: 1, max: LIMITS.handleLength })
  handle!: string;

  @Optional()
  @Text({ max: LIMITS.blockReason })
  reason?: string;
}

export class AgentsPageDto {
  @Optional()
  @Satisfies('pageLimit', (value) =>
    /^\d{1,3}$/.test(String(value)) && Number(value) >= 1 && Number(value) <= LIMITS.listPage
      ? undefined
      : `must be a whole number from 1 to ${LIMITS.listPage}`,
  )
  limit?: string;

  @Optional()
  @Text({ min: 1, max: LIMITS.handleLength })
  cursor?: string;
}
