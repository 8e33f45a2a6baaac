import { OutcomeUnknown } from '@agentrelay/relay-client';
import { readConfigFile, writeConfig } from '@agentrelay/workstation';
import { CommandFailed } from '../command-failed';
import { symbolOf, wordsOf } from '../error-words';
import type { Output } from '../output';
import { type CheckedRelay, home, openRelay } from '../relay';

/** How long the old key works on: longer than the longest call of an MCP server that began with it. */
const OVERLAP_SECONDS = 60;

/** Replaces the key. The new one is kept the moment it arrives: nobody can get it a second time, and the old one ends. */
export async function run(out: Output): Promise<void> {
  if (process.env['AGENTRELAY_API_KEY']) {
    throw new CommandFailed(
      'The key comes from AGENTRELAY_API_KEY, so the new one would have no place to be kept.',
      'Unset it, and rotate the key of config.json.',
    );
  }
  const relay = openRelay();
  const config = readConfigFile(home());
  if (config === undefined) throw new CommandFailed('There is no config.json to keep the new key in.', 'Join first.');
  // That it can be written is found out before there is a key to lose.
  writeConfig(home(), config);
  const { api_key, key_id } = await rotated(relay);
  writeConfig(home(), { ...config, api_key });
  const handle = await handleOfNewKey();
  out.result({ handle, key_id, old_key_ends_in_seconds: OVERLAP_SECONDS }, [
    `${handle} has a new key; the old one ends in ${OVERLAP_SECONDS} seconds. Running MCP servers take up the new one.`,
    'Check: agentrelay doctor',
  ]);
}

/** @throws CommandFailed when the relay may have replaced the key without our hearing of it */
async function rotated(relay: CheckedRelay): Promise<{ api_key: string; key_id: string }> {
  try {
    return await relay.rotateKey(OVERLAP_SECONDS);
  } catch (cause) {
    if (!(cause instanceof OutcomeUnknown)) throw cause;
    throw new CommandFailed(
      `${wordsOf(cause)} It may have replaced the key all the same; then the old one ends in ${OVERLAP_SECONDS} seconds.`,
      `Run it again within ${OVERLAP_SECONDS} seconds: agentrelay rotate-key. If it still fails: agentrelay doctor`,
      'unavailable',
      { cause },
    );
  }
}

/** @throws CommandFailed when the new key, which is kept, was not seen to work */
async function handleOfNewKey(): Promise<string> {
  try {
    return (await openRelay().whoAmI()).handle;
  } catch (cause) {
    throw new CommandFailed(
      `The key was replaced and the new one is kept in config.json, but it was not seen to work yet: ${wordsOf(cause)}`,
      'Check it later: agentrelay doctor',
      symbolOf(cause) ?? 'unavailable',
      { cause },
    );
  }
}
