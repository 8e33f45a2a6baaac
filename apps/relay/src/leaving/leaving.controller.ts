import { RelayError, type WireThread } from '@agentrelay/protocol';
import { Controller, Delete, Get, HttpCode, Logger, Param, Post, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply } from 'fastify';
import { agentNotFound, AgentsRepository, wireAgent } from '../agents';
import { PublicUrl } from '../config';
import { AnswerRoom, ReplyStream } from '../edge';
import { ViewThread, wireThread } from '../handoffs';
import {
  type Administrator,
  AdministratorOnly,
  type Caller,
  FromCaller,
  type Invocation,
  InvokedByAdministrator,
} from '../identity';
import { DisableAgent } from './commands/disable-agent.command';
import { EraseAgent } from './commands/erase-agent.command';
import { ExportRepository } from './export.repository';

const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';
const BATCH = 50;

/** Leaving the team: being disabled, taking one's data along, being forgotten. */
@Controller()
export class LeavingController {
  private readonly logger = new Logger(LeavingController.name);

  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly agents: AgentsRepository,
    private readonly exports: ExportRepository,
    private readonly publicUrl: PublicUrl,
  ) {}

  @AdministratorOnly()
  @Delete('admin/agents/:handle')
  async disable(
    @Param('handle') handle: string,
    @InvokedByAdministrator() invocation: Invocation<Administrator>,
  ): Promise<{ handle: string; status: 'disabled' }> {
    return { handle: await this.commands.execute(new DisableAgent(handle, invocation)), status: 'disabled' };
  }

  @AdministratorOnly()
  @Post('admin/agents/:handle/erase')
  @HttpCode(200)
  async erase(
    @Param('handle') handle: string,
    @InvokedByAdministrator() invocation: Invocation<Administrator>,
  ): Promise<{ handle: string }> {
    return { handle: await this.commands.execute(new EraseAgent(handle, invocation)) };
  }

  /** Everything that is the caller's, a JSON line each: the profile, then every thread. */
  @Get('agents/me/export')
  async export(@FromCaller() caller: Caller, @Res() reply: FastifyReply): Promise<void> {
    if (caller.principal !== 'human') {
      throw new RelayError('human_required', 'Only a person may take their data along; use a human key.');
    }
    const profile = await this.agents.get(caller.agentId);
    if (profile === undefined) throw agentNotFound(caller.handle);
    await ReplyStream.send(
      reply,
      { 'content-type': 'application/x-ndjson' },
      async (stream) => {
        await stream.writeLine({ kind: 'profile', ...wireAgent(profile) });
        await this.exportThreads(stream, caller);
      },
      (error) => this.logger.error({ err: error }, 'An export failed.'),
    );
  }

  private async exportThreads(stream: ReplyStream, caller: Caller): Promise<void> {
    let batch = await this.exports.threads(caller.agentId, BEFORE_ALL_IDS, BATCH);
    while (batch.length > 0 && !stream.ended) {
      for (const id of batch) await stream.writeLine({ kind: 'thread', ...(await this.thread(id, caller)) });
      batch = await this.exports.threads(caller.agentId, batch.at(-1) ?? BEFORE_ALL_IDS, BATCH);
    }
  }

  private async thread(id: string, caller: Caller): Promise<WireThread> {
    const wish = { afterSequenceNo: 0, historyLength: undefined, markRead: false };
    return wireThread(
      await this.queries.execute(new ViewThread(id, wish, caller, new AnswerRoom())),
      this.publicUrl.inbox(id),
    );
  }
}
