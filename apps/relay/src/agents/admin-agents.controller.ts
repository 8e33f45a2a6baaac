import { LIMITS, type WireAgent, type WireEndedKey, type WireIssuedKey, type WireKey } from '@agentrelay/protocol';
import { Body, Controller, Delete, Get, Param, Patch, Post, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { CommandBus } from '@nestjs/cqrs';
import { answerRoomOf, DtoPipe } from '../http';
import { replayedMember } from '../idempotency';
import {
  type Administrator,
  AdministratorOnly,
  ApiKeysRepository,
  type CommandContext,
  AdministratorContext,
} from '../identity';
import {
  AgentsPageDto,
  EndKeyDto,
  IssueKeyDto,
  KeysPageDto,
  RegisterAgentDto,
  RotateAgentKeyDto,
  UpdateAgentDto,
} from './agent.dtos';
import { AgentsRepository } from './agents.repository';
import { IssueKey } from './commands/issue-key.command';
import { RegisterAgent } from './commands/register-agent.command';
import { RevokeKey } from './commands/revoke-key.command';
import { DEFAULT_OVERLAP_SECONDS, RotateKey } from './commands/rotate-key.command';
import { UpdateAgent } from './commands/update-agent.command';
import { wireAgent, wireKey } from './wire-agent';

/** What administrators do with agents and their keys. */
@AdministratorOnly()
@Controller('admin/agents')
export class AdminAgentsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly agents: AgentsRepository,
    private readonly keys: ApiKeysRepository,
  ) {}

  @Post()
  async register(
    @Body(new DtoPipe(RegisterAgentDto)) body: RegisterAgentDto,
    @AdministratorContext() context: CommandContext<Administrator>,
  ): Promise<{ agent_id: string; handle: string; api_key: string }> {
    const agent = {
      handle: body.handle,
      email: body.email,
      displayName: body.display_name ?? body.handle,
      role: body.role ?? '',
      description: body.description ?? '',
      skills: body.skills ?? [],
      reposOwned: body.repos_owned ?? [],
    };
    const { agentId, handle, apiKey } = await this.commands.execute(new RegisterAgent(agent, context));
    return { agent_id: agentId, handle, api_key: apiKey };
  }

  @Get()
  async list(
    @Query(new DtoPipe(AgentsPageDto)) page: AgentsPageDto,
    @Req() request: FastifyRequest,
  ): Promise<{ agents: WireAgent[]; next_cursor: string | null }> {
    const limit = page.limit ?? LIMITS.listPage;
    const { agents, nextAfter } = await this.agents.all(page.cursor, limit, answerRoomOf(request));
    return { agents: agents.map(wireAgent), next_cursor: nextAfter };
  }

  @Get(':handle')
  async get(@Param('handle') handle: string): Promise<WireAgent> {
    const agent = await this.agents.require(handle);
    return wireAgent(agent);
  }

  @Patch(':handle')
  async update(
    @Param('handle') handle: string,
    @Body(new DtoPipe(UpdateAgentDto)) body: UpdateAgentDto,
    @AdministratorContext() context: CommandContext<Administrator>,
  ): Promise<WireAgent & { replayed?: true }> {
    const changes = { displayName: body.display_name, role: body.role, enable: body.status === 'active' };
    const answer = await this.commands.execute(new UpdateAgent(handle, changes, context));
    return { ...replayedMember(answer), ...wireAgent(answer.value) };
  }

  @Post(':handle/keys/rotate')
  async rotateKeys(
    @Param('handle') handle: string,
    @Body(new DtoPipe(RotateAgentKeyDto)) body: RotateAgentKeyDto,
    @AdministratorContext() context: CommandContext<Administrator>,
  ): Promise<WireIssuedKey> {
    const { principal = 'agent', overlap_seconds: overlapSeconds = DEFAULT_OVERLAP_SECONDS } = body;
    const issued = await this.commands.execute(new RotateKey(handle, { principal, overlapSeconds }, context));
    return { agent_id: issued.agentId, api_key: issued.apiKey, key_id: issued.keyId, expires_at: null };
  }

  @Get(':handle/keys')
  async listKeys(
    @Param('handle') handle: string,
    @Query(new DtoPipe(KeysPageDto)) page: KeysPageDto,
  ): Promise<{ keys: WireKey[]; next_cursor: string | null }> {
    const { agentId } = await this.agents.require(handle);
    const limit = page.limit ?? LIMITS.listPageDefault;
    const found = await this.keys.list(agentId, page.cursor, limit + 1);
    const keys = found.slice(0, limit).map(wireKey);
    return { keys, next_cursor: found.length > limit ? (keys.at(-1)?.key_id ?? null) : null };
  }

  @Post(':handle/keys')
  async issueKey(
    @Param('handle') handle: string,
    @Body(new DtoPipe(IssueKeyDto)) body: IssueKeyDto,
    @AdministratorContext() context: CommandContext<Administrator>,
  ): Promise<{ key_id: string; api_key: string }> {
    const terms = {
      principal: body.principal ?? 'agent',
      label: body.label ?? 'key',
      expiresAt: body.expires_at === undefined ? null : new Date(body.expires_at),
    };
    const { keyId, apiKey } = await this.commands.execute(new IssueKey(handle, terms, context));
    return { key_id: keyId, api_key: apiKey };
  }

  /** Ends a key, and what its holder made with it unless `descendants=keep`. */
  @Delete(':handle/keys/:id')
  async revokeKey(
    @Param('handle') handle: string,
    @Param('id') keyId: string,
    @Query(new DtoPipe(EndKeyDto)) { descendants }: EndKeyDto,
    @AdministratorContext() context: CommandContext<Administrator>,
  ): Promise<WireEndedKey> {
    const answer = await this.commands.execute(
      new RevokeKey(handle, keyId.toLowerCase(), descendants === 'keep', context),
    );
    return { ...replayedMember(answer), key_id: keyId.toLowerCase(), ended: answer.value };
  }
}
