import { isPlainPath, type TrustPatch, TrustFile } from '@agentrelay/workstation';
import type { Output } from '../output';
import { home } from '../relay';
import { trustLine, wireTrust } from '../trust-lines';
import { wrongUsage } from '../wrong-usage';

interface Options {
  autoRead?: boolean;
  autoTest?: boolean;
  autoWrite?: string[] | false;
  requireApproval?: string[] | false;
}

/** Names a teammate in trust.yaml. What no option speaks of stays as it was. @throws CommanderError for a pattern */
export function run(out: Output, handle: string, options: Options): void {
  const { autoRead, autoTest, autoWrite, requireApproval } = options;
  refusePatterns([...(autoWrite || []), ...(requireApproval || [])]);
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

function refusePatterns(paths: readonly string[]): void {
  const wrong = paths.find((path) => !isPlainPath(path));
  if (wrong === undefined) return;
  const message = `${JSON.stringify(wrong)} is no plain path below the project. Name a file, or a folder for all below it.`;
  wrongUsage('agentrelay.plainPath', message);
}
