import { setTimeout } from 'node:timers/promises';
import { RelayError } from '@agentrelay/protocol';
import { Controller, Delete, Get, HttpCode, Logger, Param, Post, Req, Res } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { agentNotFound, AgentsRepository, wireAgent } from '../agents';
import { PublicUrl } from '../config';
import { type AnswerRoom, answerRoomOf, ReplyStream } from '../http';
import { type ThreadView, ViewThread, wireThread } from '../handoffs';
import { replayedMember } from '../idempotency';
import {
  type Administrator,
  AdministratorOnly,
  type Caller,
  CurrentCaller,
  type CommandContext,
  AdministratorContext,
  subjectOf,
} from '../identity';
import { CostlyReads } from '../rate-limiting';
import { DisableAgent } from './commands/disable-agent.command';
import { EraseAgent } from './commands/erase-agent.command';
import { ExportRepository } from './export.repository';

const BEFORE_ALL_IDS = '00000000-0000-0000-0000-000000000000';
const BATCH = 50;
/** What one line takes at most, unless a single message takes more. */
const PIECE_BYTES = 256 * 1024;
const PATIENCE_MS = 30_000;
const RETRY_MS = 200;

/** Leaving the team: being disabled, taking one's data along, being forgotten. */
@Controller()
export class OffboardingController {
  private readonly logger = new Logger(OffboardingController.name);

  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly agents: AgentsRepository,
    private readonly exports: ExportRepository,
    private readonly publicUrl: PublicUrl,
    private readonly costlyReads: CostlyReads,
  ) {}

  @AdministratorOnly()
  @Delete('admin/agents/:handle')
  async disable(
    @Param('handle') handle: string,
    @AdministratorContext() context: CommandContext<Administrator>,
  ): Promise<{ replayed?: true; handle: string; status: 'disabled' }> {
    const answer = await this.commands.execute(new DisableAgent(handle, context));
    return { ...replayedMember(answer), handle: answer.value, status: 'disabled' };
  }

  @AdministratorOnly()
  @Post('admin/agents/:handle/erase')
  @HttpCode(200)
  async erase(
    @Param('handle') handle: string,
    @AdministratorContext() context: CommandContext<Administrator>,
  ): Promise<{ replayed?: true; handle: string }> {
    const answer = await this.commands.execute(new EraseAgent(handle, context));
    return { ...replayedMember(answer), handle: answer.value };
  }

  /** Everything that is the caller's, a JSON line each: the profile, then every thread, a long one in parts. */
  @Get('agents/me/export')
  async export(
    @CurrentCaller() caller: Caller,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (caller.principal !== 'human') {
      throw new RelayError('human_required', 'Only a person may take their data along; use a human key.');
    }
    const profile = await this.agents.get(caller.agentId);
    if (profile === undefined) throw agentNotFound(caller.handle);
    const send = () =>
      ReplyStream.send(
        reply,
        { 'content-type': 'application/x-ndjson' },
        async (stream) => {
          await stream.writeLine({ kind: 'profile', ...wireAgent(profile) });
          await this.exportThreads(stream, caller, answerRoomOf(request));
        },
        (error) => this.logger.error({ err: error }, 'An export failed.'),
      );
    await this.costlyReads.run(subjectOf(caller), send);
  }

  private async exportThreads(stream: ReplyStream, caller: Caller, answer: AnswerRoom): Promise<void> {
    let batch = await this.exports.threads(caller.agentId, BEFORE_ALL_IDS, BATCH);
    while (batch.length > 0 && !stream.ended) {
      for (const id of batch) await this.exportThread(id, stream, caller, answer);
      batch = await this.exports.threads(caller.agentId, batch.at(-1) ?? BEFORE_ALL_IDS, BATCH);
    }
  }

  /** A thread that is longer than a piece takes several lines, each with its head. */
  private async exportThread(id: string, stream: ReplyStream, caller: Caller, answer: AnswerRoom): Promise<void> {
    for (let after: number | null = 0; after !== null && !stream.ended;) {
      const room = answer.piece(PIECE_BYTES);
      try {
        const wish = { afterSequenceNo: after, historyLength: undefined, markRead: false };
        const query = new ViewThread(id, wish, caller, room);
        const thread: ThreadView = await whenThereIsRoom(() => this.queries.execute(query));
        await stream.writeLine({ kind: 'thread', ...wireThread(thread, this.publicUrl.inbox(id)) });
        after = thread.nextAfterSequenceNo;
      } finally {
        room.release();
      }
    }
  }
}

/** An export waits for others' answers to be taken, a while: once it has begun it cannot be refused. */
async function whenThereIsRoom<Result>(read: () => Promise<Result>): Promise<Result> {
  const giveUpAt = Date.now() + PATIENCE_MS;
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const isRefused = error instanceof RelayError && error.symbol === 'unavailable';
      if (!isRefused || Date.now() >= giveUpAt) throw error;
      await setTimeout(RETRY_MS);
    }
  }
}
