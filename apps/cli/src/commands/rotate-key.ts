import { OutcomeUnknown } from '@agentrelay/relay-client';
import { readConfigFile, writeConfig } from '@agentrelay/workstation';
import { CommandFailed } from '../command-failed';
import { symbolOf, wordsOf } from '../error-words';
import { type Key, keyLine, wireKey } from '../key-lines';
import type { Output } from '../output';
import { type CheckedRelay, home, openRelay } from '../relay';

interface Options {
  overlap: number;
  keepOthers?: boolean;
}

/** Replaces the key. The new one is kept the moment it arrives: nobody can get it a second time, and the old one ends. */
export async function run(out: Output, { overlap, keepOthers = false }: Options): Promise<void> {
  if (process.env['AGENTRELAY_API_KEY']) {
    throw new CommandFailed(
      'The key comes from AGENTRELAY_API_KEY, so the new one would have no place to be kept.',
      'Unset it, and rotate the key of config.json: env -u AGENTRELAY_API_KEY agentrelay rotate-key',
    );
  }
  const relay = openRelay();
  const config = readConfigFile(home());
  if (config === undefined)
    throw new CommandFailed('There is no config.json to keep the new key in.', "Join first: agentrelay join '<link>'");
  // That it can be written is found out before there is a key to lose.
  writeConfig(home(), config);
  const before = await relay.keys();
  const { api_key, key_id, expires_at } = await rotated(relay, overlap, keepOthers);
  writeConfig(home(), { ...config, api_key });
  const { handle, after } = await seenToWork();
  const ended = before.filter((key) => !key.current && !after.some((left) => left.key_id === key.key_id));
  const result = { handle, key_id, expires_at, old_key_ends_in_seconds: overlap };
  out.result({ ...result, ended_keys: ended.map(wireKey) }, [
    `${handle} has a new key; the old one ${endsIn(overlap)}. Running MCP servers take up the new one.`,
    ...(expires_at === null ? [] : [`Like the old one it ends ${expires_at}.`]),
    ...ended.map((key) => `Ended: ${keyLine(key)}`),
    ...(ended.length === 0 ? ['No other key has ended.'] : []),
    'Check: agentrelay doctor',
  ]);
}

function endsIn(seconds: number): string {
  return seconds === 0 ? 'has ended' : `ends in ${seconds} seconds`;
}

/** @throws CommandFailed when the relay may have replaced the key without our hearing of it */
async function rotated(relay: CheckedRelay, overlap: number, keepOthers: boolean) {
  try {
    return await relay.rotateKey(overlap, keepOthers);
  } catch (cause) {
    if (!(cause instanceof OutcomeUnknown)) throw cause;
    throw new CommandFailed(
      `${wordsOf(cause)} It may have replaced the key all the same; then the old one ${endsIn(overlap)}.`,
      overlap === 0
        ? 'Check: agentrelay doctor'
        : `Run it again within ${overlap} seconds: agentrelay rotate-key\nIf it still fails: agentrelay doctor`,
      'unavailable',
      { cause },
    );
  }
}

/** @throws CommandFailed when the new key, which is kept, was not seen to work */
async function seenToWork(): Promise<{ handle: string; after: Key[] }> {
  try {
    const relay = openRelay();
    return { handle: (await relay.whoAmI()).handle, after: await relay.keys() };
  } catch (cause) {
    throw new CommandFailed(
      `The key was replaced and the new one is kept in config.json, but it was not seen to work yet: ${wordsOf(cause)}`,
      'Check it later: agentrelay doctor',
      symbolOf(cause) ?? 'unavailable',
      { cause },
    );
  }
}
