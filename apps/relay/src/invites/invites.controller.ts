import { RelayError } from '@agentrelay/protocol';
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Query, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { PublicUrl } from '../config';
import { DtoPipe, isId } from '../http';
import {
  type Administrator,
  AdministratorOnly,
  CountsClientAddress,
  type CommandContext,
  AdministratorContext,
  Public,
} from '../identity';
import { MintInvite } from './commands/mint-invite.command';
import { RedeemInvite } from './commands/redeem-invite.command';
import { RevokeInvite } from './commands/revoke-invite.command';
import { InvitesPageDto, MintInviteDto, RedeemInviteDto } from './invites.dtos';
import { InvitesRepository, type StoredInvite } from './invites.repository';
import { JOIN_PAGE } from './join-page';

const DEFAULT_LIFE_SECONDS = 86_400;
const DEFAULT_PAGE = 50;

/** Inviting newcomers, and their way in. */
@Controller()
export class InvitesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly invites: InvitesRepository,
    private readonly publicUrl: PublicUrl,
  ) {}

  @AdministratorOnly()
  @Post('admin/invites')
  async mint(
    @Body(new DtoPipe(MintInviteDto)) body: MintInviteDto,
    @AdministratorContext() context: CommandContext<Administrator>,
  ): Promise<{ url: string; jti: string; expires_at: string; replaces_keys?: true }> {
    const invite = {
      handle: body.handle,
      role: body.role ?? '',
      inviterHandle: body.inviter_handle,
      email: body.email,
      expiresInSeconds: body.expires_in_seconds ?? DEFAULT_LIFE_SECONDS,
    };
    const minted = await this.commands.execute(new MintInvite(invite, context));
    return {
      url: this.publicUrl.join(minted.fragment),
      jti: minted.jti,
      expires_at: minted.expiresAt.toISOString(),
      ...(minted.replacesKeys ? { replaces_keys: true } : {}),
    };
  }

  @AdministratorOnly()
  @Get('admin/invites')
  async list(
    @Query(new DtoPipe(InvitesPageDto)) page: InvitesPageDto,
  ): Promise<{ invites: object[]; next_cursor: string | null }> {
    const limit = page.limit ?? DEFAULT_PAGE;
    const found = await this.invites.list(page.cursor, limit + 1);
    const shown = found.slice(0, limit);
    return { invites: shown.map(wireInvite), next_cursor: found.length > limit ? (shown.at(-1)?.jti ?? null) : null };
  }

  @AdministratorOnly()
  @Delete('admin/invites/:jti')
  @HttpCode(204)
  async revoke(
    @Param('jti') jti: string,
    @AdministratorContext() context: CommandContext<Administrator>,
  ): Promise<void> {
    await this.commands.execute(new RevokeInvite(jti, context));
  }

  @Public()
  @CountsClientAddress()
  @Post('invites/:jti/redeem')
  async redeem(
    @Param('jti') jti: string,
    @Body(new DtoPipe(RedeemInviteDto)) body: RedeemInviteDto,
    @Req() request: FastifyRequest,
  ): Promise<{ agent_id: string; handle: string; api_key: string }> {
    if (!isId(jti))
      throw new RelayError('invalid_invite', 'This is not a valid invite; paste the whole link that you were given.');
    const command = new RedeemInvite(jti, body.token, body.display_name, request.id);
    const { agentId, handle, apiKey } = await this.commands.execute(command);
    return { agent_id: agentId, handle, api_key: apiKey };
  }

  @Public()
  @Get('join')
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('cache-control', 'public, max-age=300')
  join(): string {
    return JOIN_PAGE;
  }
}

function wireInvite(invite: StoredInvite): object {
  return {
    jti: invite.jti,
    handle: invite.handle,
    role: invite.role,
    inviter_handle: invite.inviterHandle,
    ...(invite.agentId === null ? {} : { replaces_keys: true }),
    ...(invite.email === null ? {} : { email: invite.email }),
    created_at: invite.createdAt.toISOString(),
    expires_at: invite.expiresAt.toISOString(),
    redeemed_at: invite.redeemedAt?.toISOString() ?? null,
    revoked_at: invite.revokedAt?.toISOString() ?? null,
  };
}
