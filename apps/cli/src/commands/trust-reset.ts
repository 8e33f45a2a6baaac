import { TrustFile } from '@agentrelay/workstation';
import type { Output } from '../output';
import { home } from '../relay';
import { trustLine, wireTrust } from '../trust-lines';

/** Makes a teammate unknown again. */
export function run(out: Output, handle: string): void {
  const trust = TrustFile.load(home());
  trust.reset(handle);
  trust.save();
  const now = trust.trustOf(handle);
  out.result(wireTrust(now), [trustLine(now), 'See the rest: agentrelay trust list']);
}
