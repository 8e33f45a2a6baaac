import { RelayError, type WireAgent, type WireBlock } from '@agentrelay/protocol';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { DtoPipe } from '../edge';
import { replayedMember } from '../idempotency';
import { type Caller, FromCaller, type Invocation, Invoked } from '../identity';
import { agentNotFound } from './agent-not-found';
import { BlockDto, CardDto, RotateKeyDto } from './agent.dtos';
import { AgentsRepository } from './agents.repository';
import { BlockTeammate } from './blocks/block-teammate.command';
import { BlocksRepository } from './blocks/blocks.repository';
import { UnblockTeammate } from './blocks/unblock-teammate.command';
import { DEFAULT_OVERLAP_SECONDS, RotateKey } from './commands/rotate-key.command';
import { UpdateCard } from './commands/update-card.command';
import { wireAgent, wireBlock } from './wire-agent';

/** What an agent does about itself. */
@Controller('agents/me')
export class MeController {
  constructor(
    private readonly commands: CommandBus,
    private readonly agents: AgentsRepository,
    private readonly blocks: BlocksRepository,
  ) {}

  @Get()
  async whoAmI(@FromCaller() caller: Caller): Promise<WireAgent & { id: string; email?: string; principal: string }> {
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
  async updateCard(
    @Body(new DtoPipe(CardDto)) body: CardDto,
    @Invoked() invocation: Invocation,
  ): Promise<WireAgent & { replayed?: true }> {
    const card = {
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.skills === undefined ? {} : { skills: body.skills }),
      ...(body.repos_owned === undefined ? {} : { reposOwned: body.repos_owned }),
    };
    const answer = await this.commands.execute(new UpdateCard(card, invocation));
    return { ...replayedMember(answer), ...wireAgent(answer.value) };
  }

  /** Replaces the key that makes this request. */
  @Post('keys/rotate')
  @HttpCode(200)
  async rotateKey(
    @Body(new DtoPipe(RotateKeyDto)) body: RotateKeyDto,
    @Invoked() invocation: Invocation,
  ): Promise<{ agent_id: string; api_key: string; key_id: string }> {
    const { agentId, keyId: replaces, principal, vouchedUntil } = invocation.by;
    if (vouchedUntil !== undefined) {
      throw new RelayError(
        'forbidden',
        'This request carries no API key to rotate; renew the credential where you got it.',
      );
    }
    const overlapSeconds = body.overlap_seconds ?? DEFAULT_OVERLAP_SECONDS;
    const { keyId, apiKey } = await this.commands.execute(
      new RotateKey(agentId, { principal, replaces, overlapSeconds }, invocation),
    );
    return { agent_id: agentId, api_key: apiKey, key_id: keyId };
  }

  @Get('block')
  async listBlocks(@FromCaller() caller: Caller): Promise<{ blocked: WireBlock[] }> {
    return { blocked: (await this.blocks.list(caller.agentId)).map(wireBlock) };
  }

  @Post('block')
  @HttpCode(200)
  async block(
    @Body(new DtoPipe(BlockDto)) body: BlockDto,
    @Invoked() invocation: Invocation,
  ): Promise<WireBlock & { replayed?: true }> {
    const answer = await this.commands.execute(new BlockTeammate(body.handle, body.reason, invocation));
    return { ...replayedMember(answer), ...wireBlock(answer.value) };
  }

  @Delete('block/:handle')
  async unblock(
    @Param('handle') handle: string,
    @Invoked() invocation: Invocation,
  ): Promise<{ replayed?: true; handle: string; blocked: false }> {
    const answer = await this.commands.execute(new UnblockTeammate(handle, invocation));
    return { ...replayedMember(answer), handle: answer.value, blocked: false };
  }
}
