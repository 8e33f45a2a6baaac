import {
  appendFileSync,
  closeSync,
  createReadStream,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  fstatSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { notWritten } from './file-errors';

/** What this workstation's MCP server was asked to do, once. */
export interface LedgerEntry {
  /** ISO 8601, UTC. */
  at: string;
  session_id: string;
  tool: string;
  /** A digest, never the arguments themselves. */
  arguments_digest: string;
  /** `ok`, or why not. */
  result: string;
  thread_id?: string;
}

export interface LedgerPage {
  /** Oldest first. */
  entries: LedgerEntry[];
  /** Lines that were cut off or damaged, and left out. */
  skipped: number;
}

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 10_000;
const FILE_NAME = 'ledger.jsonl';

/** `ledger.jsonl` (mcp.md, "Layer 4"): append-only JSON lines that only their owner can read. */
export class Ledger {
  private constructor(readonly path: string) {}

  /** The ledger in `home`; the folder and the file are made by the first entry. */
  static open(home: string): Ledger {
    return new Ledger(join(home, FILE_NAME));
  }

  /**
   * Adds one line in one write, so that several processes can share the file.
   * @throws WorkstationFileError when it cannot be written
   */
  append(entry: LedgerEntry): void {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
      const start = endsInMidLine(this.path) ? '\n' : '';
      appendFileSync(this.path, `${start}${JSON.stringify(entry)}\n`, { mode: 0o600 });
    } catch (cause) {
      throw notWritten(this.path, cause);
    }
  }

  /** The newest entries since a time, at most `limit`. Reads the file as a stream and keeps no more than it returns. */
  async read({ since, limit = DEFAULT_LIMIT }: { since?: string; limit?: number } = {}): Promise<LedgerPage> {
    const page: LedgerPage = { entries: [], skipped: 0 };
    if (!existsSync(this.path)) return page;
    const most = Math.min(Math.max(limit, 0), MAX_LIMIT);
    const from = since === undefined ? -Infinity : Date.parse(since);
    for await (const line of createInterface({ input: createReadStream(this.path), crlfDelay: Infinity })) {
      if (line === '') continue;
      const entry = parsed(line);
      if (entry === undefined) page.skipped++;
      else if (Date.parse(entry.at) >= from) page.entries.push(entry);
      if (page.entries.length > most) page.entries.shift();
    }
    return page;
  }
}

/** Whether a crash cut the last line off: the next entry then begins on a line of its own. */
function endsInMidLine(path: string): boolean {
  if (!existsSync(path)) return false;
  const file = openSync(path, 'r');
  try {
    const { size } = fstatSync(file);
    const last = Buffer.alloc(1);
    return size > 0 && readSync(file, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a;
  } finally {
    closeSync(file);
  }
}

function parsed(line: string): LedgerEntry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<LedgerEntry> | null;
    return typeof entry?.at === 'string' && typeof entry.tool === 'string' ? (entry as LedgerEntry) : undefined;
  } catch {
    return undefined;
  }
}
