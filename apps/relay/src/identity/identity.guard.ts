import { RelayError } from '@agentrelay/protocol';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyRequest } from 'fastify';
import { type Access, ACCESS } from './access.decorator';
import { Administrators } from './administrators';
import { Authenticator } from './authenticator';
import { identify } from './identity.decorators';

/** Lets a request through only with the credential that its route asks for; an API key unless it says otherwise. */
@Injectable()
export class IdentityGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly authenticator: Authenticator,
    private readonly administrators: Administrators,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, [
      context.getHandler(),
      context.getClass(),
    ]);
    if (access === 'public') return true;
    const credential = bearerCredential(request, access ?? 'key');
    identify(
      request,
      access === 'administrator'
        ? this.administrators.recognise(credential)
        : await this.authenticator.authenticate(credential),
    );
    return true;
  }
}

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

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
