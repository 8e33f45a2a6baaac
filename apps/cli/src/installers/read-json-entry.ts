import { type McpEntry, SERVER_NAME } from './client';
import { readClientFile } from './client-files';
import { entryOf } from './entry';
import { valueAt } from './json-document';
import { unmarked } from './text-edits';

/** The MCP entry in a file with `mcpServers`. @throws UnreadableClientFile */
export function readJsonEntry(path: string): McpEntry | undefined {
  const text = readClientFile(path);
  return text === undefined ? undefined : entryOf(valueAt(path, unmarked(text), ['mcpServers', SERVER_NAME]));
}
