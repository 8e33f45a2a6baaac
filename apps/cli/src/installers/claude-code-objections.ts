import { type Objection, SERVER_NAME, type Surroundings } from './client';
import { entryOf } from './entry';
import { goesFirst, jsonAt, names, unreadableFor } from './objections';
import { foldersUpFrom } from './surroundings';

const DIALECT = { title: 'Claude Code', comments: false, byteOrderMark: true };

/** What Claude Code's files say against our entry or its rules. */
export function claudeObjections({ folder }: Surroundings, state: string, settings: string): Objection[] {
  const projects = (jsonAt(state, ['projects']) ?? {}) as Record<string, Record<string, unknown> | null>;
  return [
    ...unreadableFor(state, { ...DIALECT, consequence: 'it does not start' }),
    ...unreadableFor(settings, { ...DIALECT, consequence: 'nothing in that file is in effect, rules included' }),
    ...Object.entries(projects).flatMap(([project, said]) =>
      said === null ? [] : ofProject(project, said, foldersUpFrom(folder).includes(project)),
    ),
  ];
}

/** An entry for one project goes before the user's, and a project can turn a server off. */
function ofProject(project: string, said: Record<string, unknown>, isHere: boolean): Objection[] {
  const servers = said['mcpServers'] as Record<string, unknown> | undefined;
  const entry = entryOf(servers?.[SERVER_NAME]);
  const next = `In that folder: claude mcp remove ${SERVER_NAME} -s local`;
  const isOff = names(said['disabledMcpServers']).includes(SERVER_NAME);
  const enable = 'In that folder start claude, and enable it under /mcp';
  return [
    ...(entry === undefined ? [] : [{ ...goesFirst(`the project ${project}`, entry, isHere), next }]),
    ...(isOff ? [{ breaks: isHere, message: `${SERVER_NAME} is disabled in ${project}`, next: enable }] : []),
  ];
}
