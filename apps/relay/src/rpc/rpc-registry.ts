import { RelayError } from '@agentrelay/protocol';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { discoverProviders } from '../extensions';
import { RPC_METHOD, type RpcHandler, type RpcMethodOptions } from './rpc-method.decorator';

export interface RegisteredMethod extends RpcMethodOptions<object> {
  handler: RpcHandler<object>;
}

/** Finds every `@RpcMethod` of the application once it is wired. */
@Injectable()
export class RpcRegistry implements OnModuleInit {
  private readonly methods = new Map<string, RegisteredMethod>();

  constructor(private readonly discovery: DiscoveryService) {}

  /** @throws Error when two classes register the same name */
  onModuleInit(): void {
    const found = discoverProviders<RpcMethodOptions<object>, RpcHandler<object>>(this.discovery, RPC_METHOD, 'method');
    for (const { name, options, instance } of found) this.methods.set(name, { ...options, handler: instance });
  }

  /** Every registered method, in order of names. */
  all(): RegisteredMethod[] {
    return [...this.methods.values()];
  }

  has(name: string): boolean {
    return this.methods.has(name);
  }

  /** @throws RelayError method_not_found */
  get(name: string): RegisteredMethod {
    const method = this.methods.get(name);
    if (method !== undefined) return method;
    const known = this.all().map(({ name: method }) => method);
    throw new RelayError('method_not_found', `There is no method of that name here; known are ${known.join(', ')}.`, {
      known,
    });
  }
}
