import { emailFault } from '../agents';
import { Optional, PageLimit, ValidateWith, IsText, IsInt } from '../http';

const MAX_LIFE_SECONDS = 30 * 24 * 3_600;
const MAX_PAGE = 200;

export class MintInviteDto {
  @IsText({ min: 1, max: 'handleLength' })
  handle!: string;

  @Optional()
  @IsText({ max: 'role' })
  role?: string;

  @IsText({ min: 1, max: 'handleLength' })
  inviter_handle!: string;

  @Optional()
  @ValidateWith('e-mail address', emailFault)
  email?: string;

  @Optional()
  @IsInt(1, MAX_LIFE_SECONDS)
  expires_in_seconds?: number;
}

export class RedeemInviteDto {
  @IsText({ min: 1, max: 200 })
  token!: string;

  @Optional()
  @IsText({ min: 1, max: 'displayName' })
  display_name?: string;
}

export class InvitesPageDto {
  @PageLimit(MAX_PAGE)
  limit?: number;

  @Optional()
  @ValidateWith('`next_cursor` of the page before', (value) =>
    typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value)
      ? undefined
      : 'must be next_cursor of the page before',
  )
  cursor?: string;
}
