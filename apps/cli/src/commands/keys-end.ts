import { CommandFailed } from '../command-failed';
import type { Output } from '../output';
import { openRelay } from '../relay';

interface Options {
  keepDescendants?: boolean;
  force?: boolean;
}

/** Ends a key of this workstation's agent, and every key that was made with it. */
export async function run(out: Output, keyId: string, options: Options): Promise<void> {
  const { keepDescendants = false, force = false } = options;
  const relay = openRelay();
  if (!force && (await relay.keys()).some(({ key_id, current }) => current && key_id === keyId)) {
    throw new CommandFailed(
      'This is the key of this workstation, which could do nothing without it; nothing was changed.',
      `Replace it: agentrelay rotate-key\nTo end it all the same: agentrelay keys end ${keyId} --force`,
    );
  }
  const { key_id, ended } = await relay.endKey(keyId, keepDescendants);
  const others = ended.filter((id) => id !== key_id);
  out.result({ key_id, ended }, [
    `${key_id} works no more, on every replica within a second.`,
    ...others.map((id) => `${id}, which was made with it, neither.`),
    'See what is left: agentrelay keys',
  ]);
}
