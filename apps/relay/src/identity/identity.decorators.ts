import { LIMITS, RelayError } from '@agentrelay/protocol';
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { answerIsFor, noteFacts, stringFault } from '../http';
import type { Administrator, Caller, Identity, CommandContext } from './caller';

const IDENTITY = Symbol('identity');

/** The request with who makes it, once that is established. */
type IdentifiedRequest = FastifyRequest & { [IDENTITY]?: Identity };

export function identify(request: FastifyRequest, identity: Identity): void {
  (request as IdentifiedRequest)[IDENTITY] = identity;
  noteFacts(request.raw, factsAbout(identity));
  answerIsFor(request, identity.kind === 'caller' ? identity.agentId : `administrator ${identity.name}`);
}

function factsAbout(identity: Identity): Parameters<typeof noteFacts>[1] {
  if (identity.kind === 'administrator') return { administrator: identity.name };
  return { agent_id: identity.agentId, key_id: identity.keyId, principal: identity.principal };
}

function identityOf(context: ExecutionContext): Identity {
  const identity = context.switchToHttp().getRequest<IdentifiedRequest>()[IDENTITY];
  if (identity === undefined) throw new Error('The route asks for an identity but is public.');
  return identity;
}

/** The agent whose key the request carries. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => identityOf(context) as Caller,
);

/** A command's envelope for a route that asks for a key. */
export const CallerContext = createParamDecorator(
  (_: unknown, context: ExecutionContext) => commandContext(context) as CommandContext<Caller>,
);

/** A command's envelope for a route that asks for an admin token. */
export const AdministratorContext = createParamDecorator(
  (_: unknown, context: ExecutionContext) => commandContext(context) as CommandContext<Administrator>,
);

function commandContext(context: ExecutionContext): CommandContext<Identity> {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return { by: identityOf(context), requestId: request.id, idempotencyKey: idempotencyKeyOf(request) };
}

/** The key under which a REST write is to be remembered. @throws RelayError invalid_params when it cannot be one */
function idempotencyKeyOf({ headers }: FastifyRequest): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  const fault = stringFault(key, 1, LIMITS.idempotencyKeyLength);
  if (fault === undefined) return key as string;
  throw new RelayError('invalid_params', `The Idempotency-Key ${fault}.`, { field: 'Idempotency-Key' });
}
