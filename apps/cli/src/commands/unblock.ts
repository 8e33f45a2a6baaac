import { RelayRefusal } from '@agentrelay/relay-client';
import { TrustFile } from '@agentrelay/workstation';
import { blockList } from '../block-list';
import type { Output } from '../output';
import { home, openRelay } from '../relay';

/** Ends the block at the relay first, then here: when the relay is away, the teammate stays blocked. */
export async function run(out: Output, handle: string | undefined, { list }: { list?: boolean }): Promise<void> {
  if (list === true || handle === undefined) return blockList(out, handle, list);
  const trust = TrustFile.load(home());
  try {
    await openRelay().client.unblock(handle);
  } catch (error) {
    // Whom the relay does not know, it does not block.
    if (!(error instanceof RelayRefusal) || error.symbol !== 'recipient_not_found') throw error;
  }
  trust.unblock(handle);
  trust.save();
  out.result({ handle, blocked: false }, [
    `${handle} is no longer blocked, at the relay nor here.`,
    `Say what their handoffs may do: agentrelay trust set ${handle} --help`,
  ]);
}
