import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { Administrator, Caller, Identity, Invocation } from './caller';

const IDENTITY = Symbol('identity');

/** The request with who makes it, once the guard has established that. */
type IdentifiedRequest = FastifyRequest & { [IDENTITY]?: Identity };

export function identify(request: FastifyRequest, identity: Identity): void {
  (request as IdentifiedRequest)[IDENTITY] = identity;
}

function identityOf(context: ExecutionContext): Identity {
  const identity = context.switchToHttp().getRequest<IdentifiedRequest>()[IDENTITY];
  if (identity === undefined) throw new Error('The route asks for an identity but is public.');
  return identity;
}

/** The agent whose key the request carries, on any route; undefined for anybody else. */
export function callerOf(context: ExecutionContext): Caller | undefined {
  const identity = context.switchToHttp().getRequest<IdentifiedRequest>()[IDENTITY];
  return identity?.kind === 'caller' ? identity : undefined;
}

/** The agent whose key the request carries. */
export const FromCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => identityOf(context) as Caller,
);

/** A command's envelope for a route that asks for a key. */
export const Invoked = createParamDecorator(
  (_: unknown, context: ExecutionContext) => invocation(context) as Invocation<Caller>,
);

/** A command's envelope for a route that asks for an admin token. */
export const InvokedByAdministrator = createParamDecorator(
  (_: unknown, context: ExecutionContext) => invocation(context) as Invocation<Administrator>,
);

function invocation(context: ExecutionContext): Invocation<Identity> {
  const request = context.switchToHttp().getRequest<FastifyRequest>();
  return { by: identityOf(context), requestId: request.id };
}
