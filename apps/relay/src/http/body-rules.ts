import { type LimitName, LIMITS } from '@agentrelay/protocol';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';

/** What a route takes as its body. */
export interface BodyRules {
  /** The most bytes: a limit of the wire, or a number. */
  limit: LimitName | number;
  /** Whether the handler gets the JSON value, or the bytes because it names their faults itself. */
  as: 'json' | 'bytes';
}

const DEFAULT_RULES: BodyRules = { limit: 'smallBodyBytes', as: 'json' };

/** Declares the body of a route that differs from the usual one, which is JSON of at most `smallBodyBytes`. */
export const RequestBody = (rules: Partial<BodyRules>): MethodDecorator =>
  RouteConfig({ body: { ...DEFAULT_RULES, ...rules } });

/** What the route of a request takes. */
export function bodyRulesOf(request: FastifyRequest): BodyRules {
  const config = request.routeOptions.config as { body?: BodyRules } | undefined;
  return config?.body ?? DEFAULT_RULES;
}

/** The most bytes that the route of a request takes. */
export function bodyLimitOf(request: FastifyRequest): number {
  const { limit } = bodyRulesOf(request);
  return typeof limit === 'number' ? limit : LIMITS[limit];
}
