/** A coding agent that this program can connect. */
export interface Client {
  name: ClientName;
  title: string;
  /** The folder that is there when the client is. */
  folder(userHome: string): string;
  /** What belongs into which of its files; the first one holds the MCP entry. */
  files(setup: ClientSetup): ClientFile[];
  /** The MCP entry that its files hold, whoever wrote it. @throws UnreadableClientFile */
  entryIn(userHome: string): McpEntry | undefined;
}

export const CLIENT_NAMES = ['claude-code', 'codex', 'cursor'] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

/** The name under which clients know the MCP server. */
export const SERVER_NAME = 'agentrelay';

/** How a client starts the MCP server. Holds no secret, ever. */
export interface McpEntry {
  command: string;
  args: string[];
  env: Record<string, string>;
}

export interface ClientSetup {
  userHome: string;
  agentRelayHome: string;
  entry: McpEntry;
  /** Whether to recommend permission rules to the client. */
  rules: boolean;
  /** Whether an entry of the same name that somebody else wrote may be replaced. */
  force: boolean;
}

/** One file of a client and what should be in it, whatever else it holds. */
export interface ClientFile {
  path: string;
  /** Whether everything is in it. @throws UnreadableClientFile */
  isSatisfied(text: string): boolean;
  /**
   * Adds what is missing, and what the user had added to our entry in `former`, the file with that entry.
   * @throws UnreadableClientFile
   */
  add(text: string, former: string): Addition;
  /** Takes out what `added` names; for files that somebody changed since. @throws UnreadableClientFile */
  remove(text: string, added: Added): string;
  /** What can be taken for ours in a file of which nothing is recorded. */
  presumed(text: string): Added;
}

/** Names of what was put into a file, in the file's own terms. */
export type Added = readonly string[][];

export interface Addition {
  text: string;
  insertions: readonly { offset: number; text: string }[];
  added: Added;
  /** More than ours gave way or was put in, so that the insertions alone do not lead back. */
  replaced: boolean;
}
