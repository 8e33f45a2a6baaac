import { keyLine, wireKey } from '../key-lines';
import type { Output } from '../output';
import { openRelay } from '../relay';

/** Lists the live keys of this workstation's agent, newest first. */
export async function run(out: Output): Promise<void> {
  const keys = await openRelay().keys();
  out.result({ keys: keys.map(wireKey) }, [
    ...keys.map(keyLine),
    'End one that is not yours: agentrelay keys end <id>. End all but this workstation’s: agentrelay rotate-key',
  ]);
}
