import type { WireAgent, WireBlock, WireEndedKey, WireIssuedKey, WireKey } from '@agentrelay/protocol';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { DtoPipe, RequestBody } from '../http';
import { replayedMember } from '../idempotency';
import { ApiKeysRepository, type Caller, CurrentCaller, type CommandContext, CallerContext } from '../identity';
import { agentNotFound } from './agent-not-found';
import { BlockDto, CardDto, EndKeyDto, RotateKeyDto } from './agent.dtos';
import { AgentsRepository } from './agents.repository';
import { BlockTeammate } from './blocks/block-teammate.command';
import { BlocksRepository } from './blocks/blocks.repository';
import { UnblockTeammate } from './blocks/unblock-teammate.command';
import { EndOwnKey } from './commands/end-own-key.command';
import { DEFAULT_OVERLAP_SECONDS } from './commands/rotate-key.command';
import { RotateOwnKey } from './commands/rotate-own-key.command';
import { UpdateCard } from './commands/update-card.command';
import { wireAgent, wireBlock, wireKey } from './wire-agent';

/** What an agent does about itself. */
@Controller('agents/me')
export class MeController {
  constructor(
    private readonly commands: CommandBus,
    private readonly agents: AgentsRepository,
    private readonly blocks: BlocksRepository,
    private readonly keys: ApiKeysRepository,
  ) {}

  @Get()
  async whoAmI(
    @CurrentCaller() caller: Caller,
  ): Promise<WireAgent & { id: string; email?: string; principal: string }> {
    const profile = await this.agents.get(caller.agentId);
    if (profile === undefined) throw agentNotFound(caller.handle);
    const { agent_id: id, owner_email: email, ...rest } = wireAgent(profile);
    // `id` and `email` are the names that published clients read.
    return {
      id,
      agent_id: id,
      ...(email === undefined ? {} : { email, owner_email: email }),
      ...rest,
      principal: caller.principal,
    };
  }

  @Put('card')
  @RequestBody({ limit: 'formBodyBytes' })
  async updateCard(
    @Body(new DtoPipe(CardDto)) body: CardDto,
    @CallerContext() context: CommandContext,
  ): Promise<WireAgent & { replayed?: true }> {
    const card = {
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.skills === undefined ? {} : { skills: body.skills }),
      ...(body.repos_owned === undefined ? {} : { reposOwned: body.repos_owned }),
    };
    const answer = await this.commands.execute(new UpdateCard(card, context));
    return { ...replayedMember(answer), ...wireAgent(answer.value) };
  }

  /** The keys of the agent that live: a person sees the agent's too, an agent only those. */
  @Get('keys')
  async listKeys(@CurrentCaller() caller: Caller): Promise<{ keys: (WireKey & { current: boolean })[] }> {
    const keys = await this.keys.live(caller.agentId, caller.principal === 'human' ? undefined : 'agent');
    return { keys: keys.map((key) => ({ ...wireKey(key), current: key.id === caller.keyId })) };
  }

  /** Ends one of them, and what it made unless `descendants=keep`; the calling key stays unless it is the one. */
  @Delete('keys/:id')
  async endKey(
    @Param('id') keyId: string,
    @Query(new DtoPipe(EndKeyDto)) { descendants }: EndKeyDto,
    @CallerContext() context: CommandContext,
  ): Promise<WireEndedKey> {
    const answer = await this.commands.execute(new EndOwnKey(keyId.toLowerCase(), descendants === 'keep', context));
    return { ...replayedMember(answer), key_id: keyId.toLowerCase(), ended: answer.value };
  }

  /** Replaces the key that makes this request. */
  @Post('keys/rotate')
  @HttpCode(200)
  async rotateKey(
    @Body(new DtoPipe(RotateKeyDto)) body: RotateKeyDto,
    @CallerContext() context: CommandContext,
  ): Promise<WireIssuedKey> {
    const { overlap_seconds: overlapSeconds = DEFAULT_OVERLAP_SECONDS, keep_others: keepOthers = false } = body;
    const issued = await this.commands.execute(new RotateOwnKey({ overlapSeconds, keepOthers }, context));
    return {
      agent_id: context.by.agentId,
      api_key: issued.apiKey,
      key_id: issued.keyId,
      expires_at: issued.expiresAt?.toISOString() ?? null,
    };
  }

  @Get('block')
  async listBlocks(@CurrentCaller() caller: Caller): Promise<{ blocked: WireBlock[] }> {
    return { blocked: (await this.blocks.list(caller.agentId)).map(wireBlock) };
  }

  @Post('block')
  @HttpCode(200)
  async block(
    @Body(new DtoPipe(BlockDto)) body: BlockDto,
    @CallerContext() context: CommandContext,
  ): Promise<WireBlock & { replayed?: true }> {
    const answer = await this.commands.execute(new BlockTeammate(body.handle, body.reason, context));
    return { ...replayedMember(answer), ...wireBlock(answer.value) };
  }

  @Delete('block/:handle')
  async unblock(
    @Param('handle') handle: string,
    @CallerContext() context: CommandContext,
  ): Promise<{ replayed?: true; handle: string; blocked: false }> {
    const answer = await this.commands.execute(new UnblockTeammate(handle, context));
    return { ...replayedMember(answer), handle: answer.value, blocked: false };
  }
}
