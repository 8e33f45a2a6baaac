import type { Type } from '@nestjs/common';
import { register } from '../extensions';
import type { Caller, CommandContext } from '../identity';

/** How a method presents itself to the dispatcher. */
export interface RpcMethodOptions<Params extends object> {
  /** The name on the wire, such as `tasks/cancel`. */
  name: string;
  /** What it does, in a sentence for the reference. */
  summary: string;
  /** The DTO that its params are read into. */
  params: Type<Params>;
  /** Whether it changes something: then it takes an idempotency key. */
  writes: boolean;
}

/** A method of the native API. */
export interface RpcHandler<Params extends object> {
  handle(params: Params, context: CommandContext<Caller>): Promise<object>;

  /** The DTO for these very params, where it depends on what they say. @throws RelayError invalid_params */
  paramsOf?(params: Readonly<Record<string, unknown>>): Type<Params>;
}

export const RPC_METHOD = Symbol('rpc method');

/** Registers a class as a method of the native API. The class is a provider of its module; nothing else names it. */
export function RpcMethod<Params extends object>(options: RpcMethodOptions<Params>) {
  return register<RpcHandler<Params>>(RPC_METHOD, options);
}
