import { canonicalHandle, RelayError } from '@agentrelay/protocol';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { v7 as uuidv7 } from 'uuid';
import { AgentsRepository, blockedBy, nearHandles, recipientNotFound, refuseIfBlocked } from '../../agents';
import { type Transaction, UnitOfWork } from '../../database';
import { reservationFor, IdempotencyService, type RememberedWrite } from '../../idempotency';
import type { CommandContext } from '../../identity';
import { HandoffLocksRepository } from '../handoff-locks.repository';
import type { SentHandoff } from '../handoff.views';
import { HandoffsRepository } from '../handoffs.repository';
import { HandoffPolicies } from '../policies/handoff-policies';
import { refuseUnanswerable } from '../handoff.errors';
import { ThreadsRepository } from '../threads.repository';
import type { SendHandoffArguments } from './arguments';

/** Hands work to a teammate: opens a thread whose first message is the summary. */
export class SendHandoff extends Command<SentHandoff> {
  constructor(
    readonly args: SendHandoffArguments,
    readonly context: CommandContext,
  ) {
    super();
  }
}

/** Handles that are looked through for a hint. */
const HINT_POOL = 2_000;

@CommandHandler(SendHandoff)
export class SendHandoffHandler implements ICommandHandler<SendHandoff> {
  constructor(
    private readonly policies: HandoffPolicies,
    private readonly unitOfWork: UnitOfWork,
    private readonly idempotency: IdempotencyService,
    private readonly agents: AgentsRepository,
    private readonly locks: HandoffLocksRepository,
    private readonly handoffs: HandoffsRepository,
    private readonly threads: ThreadsRepository,
  ) {}

  /** @throws RelayError invalid_intent_payload, invalid_params, recipient_not_found, teammate_blocked, duplicate_idempotency_key, or a policy's */
  async execute(command: SendHandoff): Promise<SentHandoff> {
    refuseUnlessIntentMatches(command);
    refuseUnanswerable({ ...command.args, body: command.args.summary });
    const reservation = reservationFor(command.context, 'handoff.send', {
      ...command.args,
      recipient: canonicalHandle(command.args.recipient),
    });
    return this.idempotency.executeIdempotent(
      reservation,
      async () => {
        const handle = await this.resolve(command.args.recipient);
        await this.policies.review({
          action: 'send',
          by: command.context.by,
          args: { ...command.args, recipient: handle },
        });
        const sent = await this.unitOfWork.run((transaction) => this.send(transaction, handle, reservation, command));
        if (sent === 'no recipient') throw await this.recipientNotFound(command.args.recipient);
        return sent;
      },
      (remembered) => this.replay(remembered, command),
      (remembered) => this.spellings(remembered, command),
    );
  }

  /** The same recipient, by its bare name and by its full handle; and as sent, which is how older versions compared. */
  private async spellings(remembered: RememberedWrite, { args, context }: SendHandoff): Promise<object[]> {
    const handle = await this.threads.recipientOf(remembered.handoff_id, context.by);
    const given = canonicalHandle(args.recipient);
    const [name = '', team] = given.split('@');
    // An agent that was erased since keeps its team, and nothing else of its handle.
    const full = team === undefined ? `${name}@${handle.split('@')[1] ?? ''}` : given;
    if (full !== handle && !handle.startsWith('former-')) return [];
    return [name, full, args.recipient].map((recipient) => ({ ...args, recipient }));
  }

  private async send(
    transaction: Transaction,
    handle: string,
    reservation: ReturnType<typeof reservationFor>,
    { args, context }: SendHandoff,
  ): Promise<SentHandoff | 'no recipient'> {
    const recipient = await this.locks.lockRecipient(transaction, context.by, handle);
    if (!recipient?.active) return 'no recipient';
    if (recipient.id === context.by.agentId) {
      throw new RelayError('invalid_params', 'recipient must be somebody else: you cannot hand work to yourself.', {
        field: 'recipient',
      });
    }
    refuseIfBlocked(recipient.handle, recipient);
    const id = uuidv7();
    const summary = {
      id: uuidv7(),
      authorId: context.by.agentId,
      kind: 'summary',
      body: args.summary,
      payload: args.payload,
      artifacts: args.artifacts,
    } as const;
    const handoff = {
      id,
      recipientId: recipient.id,
      intent: args.intent,
      proposedAction: args.proposedAction ?? null,
      metadata: args.metadata,
      summary,
    };
    const stored = await this.handoffs.insert(transaction, handoff, reservation, context);
    if (stored === 'blocked') throw blockedBy(recipient.handle);
    return { id, recipient: recipient.handle, createdAt: stored, replayed: false };
  }

  /** The full handle that a bare name stands for. */
  private async resolve(recipient: string): Promise<string> {
    if (recipient.includes('@')) return canonicalHandle(recipient);
    const agent = await this.agents.find(recipient);
    if (agent === undefined) throw await this.recipientNotFound(recipient);
    return agent.handle;
  }

  private async recipientNotFound(recipient: string): Promise<RelayError> {
    return recipientNotFound(recipient, nearHandles(recipient, await this.agents.activeHandles(HINT_POOL)));
  }

  private async replay(remembered: RememberedWrite, { context }: SendHandoff): Promise<SentHandoff> {
    const recipient = await this.threads.recipientOf(remembered.handoff_id, context.by);
    return { id: remembered.handoff_id, recipient, createdAt: remembered.created_at, replayed: true };
  }
}

/** A proposed action is present exactly when the intent proposes one (domain.md 2). */
function refuseUnlessIntentMatches({ args }: SendHandoff): void {
  const proposes = args.intent === 'propose_action';
  if (proposes === (args.proposedAction !== undefined)) return;
  throw new RelayError(
    'invalid_intent_payload',
    proposes
      ? 'The intent propose_action needs proposed_action: description, target_files and rationale.'
      : `The intent ${args.intent} takes no proposed_action; leave it out or use propose_action.`,
    { intent: args.intent },
  );
}
