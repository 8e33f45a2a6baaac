import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor, SetMetadata } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { FastifyReply } from 'fastify';
import type { Observable } from 'rxjs';
import { rateHeaders, RateLimits } from '../rates';
import { callerOf } from './identity.decorators';

const COUNTS_ITS_CALLS = Symbol('counts its calls');

/** For a door whose requests can hold several calls: it counts each of them itself. */
export const CountsItsCalls = () => SetMetadata(COUNTS_ITS_CALLS, true);

/** Counts each call of a key before anything is done, and says in headers how much is left. */
@Injectable()
export class CallRateInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly rates: RateLimits,
  ) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const caller = callerOf(context);
    const counted = this.reflector.get<boolean | undefined>(COUNTS_ITS_CALLS, context.getClass()) === true;
    if (caller !== undefined && !counted) {
      const reply = context.switchToHttp().getResponse<FastifyReply>();
      void reply.headers(rateHeaders(this.rates.countCall(caller.keyId)));
    }
    return next.handle();
  }
}
