import { RelayError } from '@agentrelay/protocol';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
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
    for (const { metatype, instance } of this.discovery.getProviders()) {
      const options = metatype && (Reflect.getMetadata(RPC_METHOD, metatype) as RpcMethodOptions<object> | undefined);
      if (!options) continue;
      if (this.methods.has(options.name)) throw new Error(`Two classes register the method ${options.name}.`);
      this.methods.set(options.name, { ...options, handler: instance as RpcHandler<object> });
    }
  }

  /** Every registered method, in order of names. */
  all(): RegisteredMethod[] {
    return [...this.methods.values()].sort((one, other) => one.name.localeCompare(other.name));
  }

  /** @throws RelayError method_not_found */
  get(name: string): RegisteredMethod {
    const method = this.methods.get(name);
    if (method !== undefined) return method;
    const known = this.all().map(({ name: registered }) => registered);
    throw new RelayError('method_not_found', `There is no method of that name here; known are ${known.join(', ')}.`, {
      known,
    });
  }
}
