import type { Client, ClientSetup } from './client';
import { readClientFile } from './client-files';
import { recordOf } from './install-record';
import { unmarked } from './text-edits';

/** `none`: the client has no rules of ours. `retired`: some are in that an earlier version wrote and this one does not. */
export type RulesState = 'in' | 'missing' | 'retired' | 'none';

/** Whether the rules that install recommends to a client are there. @throws UnreadableClientFile, WorkstationFileError */
export function rulesState(client: Client, setup: ClientSetup): RulesState {
  const records = recordOf(setup.agentRelayHome, client.name);
  const files = client.files({ ...setup, rules: true });
  const texts = files.map((file) => ({ file, text: unmarked(readClientFile(file.path) ?? '') }));
  const isRetired = texts.some(({ file, text }) => {
    const record = records.find(({ path }) => path === file.path);
    return record !== undefined && file.holdsRetired(text, record.added);
  });
  if (isRetired) return 'retired';
  const rules = texts.slice(1);
  if (rules.length === 0) return 'none';
  return rules.every(({ file, text }) => file.isSatisfied(text)) ? 'in' : 'missing';
}
