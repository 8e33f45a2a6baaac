import { MethodParams, type RpcHandler, RpcMethod } from '@agentrelay/extension';
import { FreezeStore } from './freeze.store';

class FreezeStatusParams extends MethodParams {}

/** `freeze/status` on the native API: agents ask before they propose. */
@RpcMethod({
  name: 'freeze/status',
  summary: 'Says whether changes are frozen.',
  params: FreezeStatusParams,
  writes: false,
})
export class FreezeStatusMethod implements RpcHandler<FreezeStatusParams> {
  constructor(private readonly freezes: FreezeStore) {}

  async handle(): Promise<object> {
    const freeze = await this.freezes.current();
    return freeze === undefined ? { frozen: false } : { frozen: true, reason: freeze.reason, until: freeze.until };
  }
}
