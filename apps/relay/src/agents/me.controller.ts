import type { WireAgent, WireBlock } from '@agentrelay/protocol';
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { DtoPipe } from '../edge';
import { type Caller, FromCaller, type Invocation, Invoked } from '../identity';
import { BlockDto, CardDto } from './agent.dtos';
import { agentNotFound } from './agent-not-found';
import { AgentsRepository } from './agents.repository';
import { BlockTeammate } from './blocks/block-teammate.command';
import { BlocksRepository } from './blocks/blocks.repository';
import { UnblockTeammate } from './blocks/unblock-teammate.command';
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
  async whoAmI(@FromCaller() caller: Caller): Promise<WireAgent & { principal: string }> {
    const profile = await this.agents.get(caller.agentId);
    if (profile === undefined) throw agentNotFound(caller.handle);
    return { ...wireAgent(profile), principal: caller.principal };
  }

  @Put('card')
  async updateCard(@Body(new DtoPipe(CardDto)) body: CardDto, @Invoked() invocation: Invocation): Promise<WireAgent> {
    const card = {
      ...(body.description === undefined ? {} : { description: body.description }),
      ...(body.skills === undefined ? {} : { skills: body.skills }),
      ...(body.repos_owned === undefined ? {} : { reposOwned: body.repos_owned }),
    };
    return wireAgent(await this.commands.execute(new UpdateCard(card, invocation)));
  }

  @Get('block')
  async listBlocks(@FromCaller() caller: Caller): Promise<{ blocked: WireBlock[] }> {
    return { blocked: (await this.blocks.list(caller.agentId)).map(wireBlock) };
  }

  @Post('block')
  @HttpCode(200)
  async block(@Body(new DtoPipe(BlockDto)) body: BlockDto, @Invoked() invocation: Invocation): Promise<WireBlock> {
    return wireBlock(await this.commands.execute(new BlockTeammate(body.handle, body.reason, invocation)));
  }

  @Delete('block/:handle')
  async unblock(
    @Param('handle') handle: string,
    @Invoked() invocation: Invocation,
  ): Promise<{ handle: string; blocked: false }> {
    return { handle: await this.commands.execute(new UnblockTeammate(handle, invocation)), blocked: false };
  }
}
