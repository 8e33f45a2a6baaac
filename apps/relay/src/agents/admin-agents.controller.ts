import { LIMITS, type WireAgent } from '@agentrelay/protocol';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { DtoPipe } from '../edge';
import { replayedMember } from '../idempotency';
import {
  type Administrator,
  AdministratorOnly,
  ApiKeysRepository,
  type Invocation,
  InvokedByAdministrator,
} from '../identity';
import { AgentsPageDto, IssueKeyDto, RegisterAgentDto, RotateAgentKeyDto, UpdateAgentDto } from './agent.dtos';
import { AgentsRepository } from './agents.repository';
import { IssueKey } from './commands/issue-key.command';
import { RegisterAgent } from './commands/register-agent.command';
import { RevokeKey } from './commands/revoke-key.command';
import { DEFAULT_OVERLAP_SECONDS, RotateKey } from './commands/rotate-key.command';
import { UpdateAgent } from './commands/update-agent.command';
import { wireAgent } from './wire-agent';

/** Most keys that a list shows, newest first. */
const SHOWN_KEYS = 100;

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
    @InvokedByAdministrator() invocation: Invocation<Administrator>,
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
    const { agentId, handle, apiKey } = await this.commands.execute(new RegisterAgent(agent, invocation));
    return { agent_id: agentId, handle, api_key: apiKey };
  }

  @Get()
  async list(
    @Query(new DtoPipe(AgentsPageDto)) page: AgentsPageDto,
  ): Promise<{ agents: WireAgent[]; next_cursor: string | null }> {
    const limit = Number(page.limit ?? LIMITS.listPage);
    const found = await this.agents.all(page.cursor, limit);
    const agents = found.slice(0, limit).map(wireAgent);
    return { agents, next_cursor: found.length > limit ? (agents.at(-1)?.handle ?? null) : null };
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
    @InvokedByAdministrator() invocation: Invocation<Administrator>,
  ): Promise<WireAgent & { replayed?: true }> {
    const changes = { displayName: body.display_name, role: body.role, enable: body.status === 'active' };
    const answer = await this.commands.execute(new UpdateAgent(handle, changes, invocation));
    return { ...replayedMember(answer), ...wireAgent(answer.value) };
  }

  @Post(':handle/keys/rotate')
  async rotateKeys(
    @Param('handle') handle: string,
    @Body(new DtoPipe(RotateAgentKeyDto)) body: RotateAgentKeyDto,
    @InvokedByAdministrator() invocation: Invocation<Administrator>,
  ): Promise<{ agent_id: string; api_key: string; key_id: string }> {
    const agent = await this.agents.require(handle);
    const rotation = {
      principal: body.principal ?? 'agent',
      replaces: undefined,
      overlapSeconds: body.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS,
    };
    const { keyId, apiKey } = await this.commands.execute(new RotateKey(agent.agentId, rotation, invocation));
    return { agent_id: agent.agentId, api_key: apiKey, key_id: keyId };
  }

  @Get(':handle/keys')
  async listKeys(@Param('handle') handle: string): Promise<{ keys: object[] }> {
    const agent = await this.agents.require(handle);
    const keys = await this.keys.list(agent.agentId, SHOWN_KEYS);
    return {
      keys: keys.map((key) => ({
        key_id: key.id,
        principal: key.principal,
        label: key.label,
        created_at: key.createdAt.toISOString(),
        expires_at: key.expiresAt?.toISOString() ?? null,
        last_used_at: key.lastUsedAt?.toISOString() ?? null,
        revoked_at: key.revokedAt?.toISOString() ?? null,
      })),
    };
  }

  @Post(':handle/keys')
  async issueKey(
    @Param('handle') handle: string,
    @Body(new DtoPipe(IssueKeyDto)) body: IssueKeyDto,
    @InvokedByAdministrator() invocation: Invocation<Administrator>,
  ): Promise<{ key_id: string; api_key: string }> {
    const terms = {
      principal: body.principal ?? 'agent',
      label: body.label ?? 'key',
      expiresAt: body.expires_at === undefined ? null : new Date(body.expires_at),
    };
    const { keyId, apiKey } = await this.commands.execute(new IssueKey(handle, terms, invocation));
    return { key_id: keyId, api_key: apiKey };
  }

  @Delete(':handle/keys/:id')
  @HttpCode(204)
  async revokeKey(
    @Param('handle') handle: string,
    @Param('id') keyId: string,
    @InvokedByAdministrator() invocation: Invocation<Administrator>,
  ): Promise<void> {
    await this.commands.execute(new RevokeKey(handle, keyId, invocation));
  }
}
