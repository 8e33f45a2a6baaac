import { RelayError } from '@agentrelay/protocol';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { RateLimits } from '../rates';
import { type Access, accessTo } from './access.decorator';
import { Administrators } from './administrators';
import { looksLikeApiKey } from './api-key-format';
import { Authenticator } from './authenticator';
import type { Identity } from './caller';
import { identify } from './identity.decorators';
import { Strategies } from './strategies';

/** Lets a request through only with the credential that its route asks for; an API key unless it says otherwise. */
@Injectable()
export class IdentityGuard implements CanActivate {
  constructor(
    private readonly authenticator: Authenticator,
    private readonly administrators: Administrators,
    private readonly strategies: Strategies,
    private readonly rates: RateLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const access = accessTo(context.getHandler(), context.getClass());
    if (access === 'public') return true;
    try {
      identify(request, await this.identityOf(request, access));
    } catch (error) {
      // A guess counts; a relay, or a strategy, that cannot look is not a guess.
      if (error instanceof RelayError && error.httpStatus < 500) this.rates.countFailure(request.ip);
      throw error;
    }
    return true;
  }

  private async identityOf(request: FastifyRequest, access: Access): Promise<Identity> {
    if (access === 'administrator') return this.administrators.recognise(bearerCredential(request, access));
    // A key of ours is nobody else's to see.
    const vouched = carriesApiKey(request)
      ? undefined
      : await this.strategies.recognise({ headers: request.headers, address: request.ip });
    return vouched ?? this.authenticator.authenticate(bearerCredential(request, access));
  }
}

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

function carriesApiKey({ headers: { authorization } }: FastifyRequest): boolean {
  return looksLikeApiKey(BEARER.exec(authorization ?? '')?.[1] ?? '');
}

/** @throws RelayError unauthenticated when the header is missing or is not of the Bearer scheme */
function bearerCredential(request: FastifyRequest, access: Access): string {
  const what = access === 'administrator' ? 'the admin token' : 'your API key (ar_…)';
  const header = request.headers.authorization;
  if (header === undefined) {
    throw new RelayError('unauthenticated', `Send ${what} in the header "Authorization: Bearer …".`);
  }
  const credential = BEARER.exec(header)?.[1];
  if (credential === undefined) {
    throw new RelayError(
      'unauthenticated',
      `The Authorization header is not of the form "Bearer …"; send ${what} there.`,
    );
  }
  return credential;
}
