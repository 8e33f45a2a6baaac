import { shellWord } from '@agentrelay/untrusted-text';
import { TrustFile } from '@agentrelay/workstation';
import type { Output } from './output';
import { home, openRelay } from './relay';
import { wrongUsage } from './wrong-usage';

/** Shows whom this workstation and the relay block. @throws CommanderError when neither a handle nor --list was given */
export async function blockList(out: Output, handle: string | undefined, list: boolean | undefined): Promise<void> {
  if (list !== true || handle !== undefined) {
    return wrongUsage('agentrelay.handleOrList', 'give either a handle or --list');
  }
  const here = TrustFile.load(home()).blocked();
  const there = (await openRelay().blocks()).map((block) => block.handle);
  const blocked = [...new Set([...here, ...there])].sort().map((name) => ({
    handle: name,
    here: here.includes(name),
    at_relay: there.includes(name),
  }));
  const lines = blocked.map(({ handle: name, here: isHere, at_relay }) => {
    if (isHere && at_relay) return name;
    return `${name}  ${isHere ? 'here only' : 'at the relay only'}; run: agentrelay block ${shellWord(name)}`;
  });
  out.result({ blocked }, lines.length === 0 ? ['You block nobody.'] : lines);
}
