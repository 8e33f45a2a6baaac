import type { Environment } from '@agentrelay/workstation';

/** Where the programs of this user look for their files. */
export interface Surroundings {
  userHome: string;
  environment: Environment;
  /** The folder in which a client would be started; what a project says belongs to it. */
  folder: string;
}

/** A coding agent that this program can connect. */
export interface Client {
  name: ClientName;
  title: string;
  /** The program that people start, by which it is found on PATH. */
  program: string;
  /** Files and folders of which one is there when the client is. */
  traces(where: Surroundings): string[];
  /** What belongs into which of its files; the first one holds the MCP entry. */
  files(setup: ClientSetup): ClientFile[];
  /** The MCP entry that its files hold, whoever wrote it. @throws UnreadableClientFile */
  entryIn(where: Surroundings): McpEntry | undefined;
  /** What its files say against starting that entry or heeding the rules. @throws UnreadableClientFile */
  objections(where: Surroundings): Objection[];
  /** How to ask the program itself, and how to read what it prints. Where there is no such command, nothing. */
  question?: ClientQuestion;
}

/** Why a client does something else than what install meant. */
export interface Objection {
  /** Whether the tools are missing or another program is started because of it. */
  breaks: boolean;
  message: string;
  next: string;
}

export interface ClientQuestion {
  args: readonly string[];
  /** What the answer says; undefined when it cannot be read. */
  read(answer: { code: number; stdout: string; stderr: string }): ClientAnswer | undefined;
}

export interface ClientAnswer {
  /** What the client would start; undefined when it does not say. */
  command?: string;
  args?: string;
  /** Why it starts nothing, in words. */
  fault?: string;
  /** What else it says that is worth knowing. */
  note?: string;
}

export const CLIENT_NAMES = ['claude-code', 'codex', 'cursor', 'gemini', 'copilot'] as const;
export type ClientName = (typeof CLIENT_NAMES)[number];

/** The names of clients as a sentence lists them. */
export const CLIENT_CHOICE = `${CLIENT_NAMES.join(', ')} or all`;

/** The name under which clients know the MCP server. */
export const SERVER_NAME = 'agentrelay';

/** How a client starts the MCP server. Holds no secret, ever. */
export interface McpEntry {
  command: string;
  args: string[];
  env: Record<string, string>;
}

export interface ClientSetup extends Surroundings {
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
  /** Whether something of what install once added is no longer wanted. @throws UnreadableClientFile */
  holdsRetired(text: string, added: Added): boolean;
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
