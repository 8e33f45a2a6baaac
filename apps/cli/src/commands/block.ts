import { TrustFile } from '@agentrelay/workstation';
import { blockList } from '../block-list';
import { CommandFailed } from '../command-failed';
import { symbolOf, wordsOf } from '../error-words';
import type { Output } from '../output';
import { home, openRelay } from '../relay';

interface Options {
  list?: boolean;
  reason?: string;
}

/** Blocks here first, then at the relay: when the relay is away, the teammate is blocked all the same. */
export async function run(out: Output, handle: string | undefined, { list, reason }: Options): Promise<void> {
  if (list === true || handle === undefined) return blockList(out, handle, list);
  const trust = TrustFile.load(home());
  trust.block(handle);
  trust.save();
  try {
    await openRelay().client.block(handle, reason);
  } catch (cause) {
    throw new CommandFailed(
      `${handle} is blocked on this workstation, not at the relay: ${wordsOf(cause)}`,
      `Run it again later: agentrelay block ${handle}`,
      symbolOf(cause) ?? 'half_done',
      { cause },
    );
  }
  out.result({ handle, blocked: true }, [
    `${handle} is blocked, here and at the relay: nothing more comes from them.`,
    `End it with: agentrelay unblock ${handle}`,
  ]);
}
