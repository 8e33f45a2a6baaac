import { handleFault, RelayError } from '@agentrelay/protocol';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { IdentityConfig } from '../../config';
import { UnitOfWork } from '../../database';
import { EventLogRepository } from '../../events';
import { IdempotencyService } from '../../idempotency';
import { AgentRegistrar, type RegisteredAgent } from '../agent-registrar';
import { RegisterAgent } from './register-agent.command';

@CommandHandler(RegisterAgent)
export class RegisterAgentHandler implements ICommandHandler<RegisterAgent> {
  constructor(
    private readonly config: IdentityConfig,
    private readonly unitOfWork: UnitOfWork,
    private readonly registrar: AgentRegistrar,
    private readonly events: EventLogRepository,
    private readonly idempotency: IdempotencyService,
  ) {}

  /** @throws RelayError invalid_params for a handle that may not be registered, conflict for one that is taken */
  async execute({ agent, context }: RegisterAgent): Promise<RegisteredAgent> {
    const fault = handleFault(agent.handle, this.config.team);
    if (fault !== undefined) throw new RelayError('invalid_params', `handle ${fault}.`, { field: 'handle' });
    return this.unitOfWork.run(async (transaction) => {
      await this.idempotency.reserveForCredential(transaction, context, 'agent.register', agent);
      const registered = await this.registrar.register(transaction, agent);
      await this.events.append(
        transaction,
        'agent.registered',
        registered.agentId,
        { key_id: registered.keyId },
        context,
      );
      return registered;
    });
  }
}
