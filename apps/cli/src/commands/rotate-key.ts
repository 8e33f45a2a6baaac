import { RelayClient } from '@agentrelay/relay-client';
import { readConfigFile, writeConfig } from '@agentrelay/workstation';
import { CommandFailed } from '../command-failed';
import type { Output } from '../output';
import { home, openRelay } from '../relay';

/** How long the old key works on: longer than the longest call of an MCP server that began with it. */
const OVERLAP_SECONDS = 60;

/** Replaces the key: the new one is seen to work, and written, while the old one still works. */
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
  const { api_key, key_id } = await relay.rotateKey(OVERLAP_SECONDS);
  const url = process.env['AGENTRELAY_URL'] || config.relay_url;
  const { handle } = await new RelayClient({ url, apiKey: api_key }).whoAmI();
  writeConfig(home(), { ...config, api_key });
  const rotated = { handle, key_id, old_key_ends_in_seconds: OVERLAP_SECONDS };
  out.result(rotated, [
    `${handle} has a new key; the old one ends in ${OVERLAP_SECONDS} seconds. Running MCP servers take up the new one.`,
    'Check: agentrelay doctor',
  ]);
}
