import { type TrustPatch, TrustFile } from '@agentrelay/workstation';
import type { Output } from '../output';
import { home } from '../relay';
import { trustLine, wireTrust } from '../trust-lines';

interface Options {
  autoRead?: boolean;
  autoTest?: boolean;
  autoWrite?: string[] | false;
  requireApproval?: string[] | false;
}

/** Names a teammate in trust.yaml. What no option speaks of stays as it was. */
export function run(out: Output, handle: string, options: Options): void {
  const { autoRead, autoTest, autoWrite, requireApproval } = options;
  const patch: TrustPatch = {
    ...(autoRead !== undefined && { autoRead }),
    ...(autoTest !== undefined && { autoTest }),
    ...(autoWrite !== undefined && { autoWritePaths: autoWrite || [] }),
    ...(requireApproval !== undefined && { requireApproval: requireApproval || [] }),
  };
  const trust = TrustFile.load(home());
  trust.set(handle, patch);
  trust.save();
  const set = trust.trustOf(handle);
  out.result(wireTrust(set), [trustLine(set), `Undo it with: agentrelay trust reset ${handle}`]);
}
