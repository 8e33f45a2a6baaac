import { RelayError } from '@agentrelay/protocol';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { chargeBody, isFailure, noteFacts, refuseByHeaders, refuseOtherAddresses } from '../http';
import { rateHeaders, RateLimits } from '../rate-limiting';
import type { Access } from './access.decorator';
import { Administrators } from './administrators';
import { looksLikeApiKey } from './api-key-format';
import { Authenticator } from './authenticator';
import { type Identity, subjectOf } from './caller';
import { identify } from './identity.decorators';
import { accessOf, declareAccess } from './route-access';
import { Strategies } from './strategies';

/** A body that took longer than this to arrive has its credential looked at again: what is cached may be 900 ms old. */
const LOOKED_AT_MS = 50;

/**
 * Lets a request in before anything of its body is read: its address, the credential that its route asks for, one token of the caller's rate,
 * then what the headers say of the body. Nest's guards run after the body has been parsed, so this is a hook of Fastify.
 */
@Injectable()
export class Admission implements OnModuleInit {
  private readonly admitted = new WeakMap<FastifyRequest, number>();

  constructor(
    private readonly authenticator: Authenticator,
    private readonly administrators: Administrators,
    private readonly strategies: Strategies,
    private readonly rates: RateLimits,
    private readonly host: HttpAdapterHost,
    discovery: DiscoveryService,
  ) {
    declareAccess(discovery);
  }

  onModuleInit(): void {
    const fastify = this.host.httpAdapter.getInstance<FastifyInstance>();
    fastify.addHook('onRequest', (request, reply) => this.admit(request, reply));
    fastify.addHook('preValidation', (request) => this.confirm(request));
  }

  private async admit(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    noteFacts(request.raw, { client: request.ip });
    refuseOtherAddresses(request, reply);
    const { access, countsAddress } = accessOf(request);
    if (access !== 'public') this.charge(await this.established(request, access), request, reply);
    else if (countsAddress) this.rates.countFailure(request.ip);
    refuseByHeaders(request);
  }

  /** A credential that may have ended while the body was on its way has to hold still. */
  private async confirm(request: FastifyRequest): Promise<void> {
    const { access } = accessOf(request);
    const since = this.admitted.get(request);
    if (access === 'public' || since === undefined || performance.now() - since < LOOKED_AT_MS) return;
    identify(request, await this.established(request, access));
  }

  private async established(request: FastifyRequest, access: Access): Promise<Identity> {
    try {
      return await this.identityOf(request, access);
    } catch (error) {
      // A guess counts; a relay, or a strategy, that cannot look is not a guess.
      if (error instanceof RelayError && !isFailure(error)) this.rates.countFailure(request.ip);
      throw error;
    }
  }

  private async identityOf(request: FastifyRequest, access: Access): Promise<Identity> {
    if (access === 'administrator') return this.administrators.recognise(bearerCredential(request, access));
    // A key of ours is nobody else's to see.
    const external = carriesApiKey(request)
      ? undefined
      : await this.strategies.recognise({ headers: request.headers, address: request.ip });
    return external ?? this.authenticator.authenticate(bearerCredential(request, access));
  }

  private charge(identity: Identity, request: FastifyRequest, reply: FastifyReply): void {
    identify(request, identity);
    this.admitted.set(request, performance.now());
    if (identity.kind === 'administrator') return chargeBody(request, `administrator ${identity.name}`);
    const subject = subjectOf(identity);
    chargeBody(request, subject);
    void reply.headers(rateHeaders(this.rates.countCall(subject)));
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
