import { constants } from 'node:fs';
import { type FileHandle, open, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { callerIsRoot } from './account';
import type { Home } from './storage';

const ROTATE_BYTES = 10 * 1024 * 1024;
const TAIL_LINES = 20;

/** The part of the server's log that one start writes. */
export interface ServerLog {
  /** Open for appending; the starter closes it once the server has inherited it. */
  file: FileHandle;
  /** Everything logged since this start. */
  text(): Promise<string>;
  /** The last 20 of those lines, for an error message. */
  tail(): Promise<string>;
}

/** Opens postgres.log in the home folder; one of over 10 MB is set aside as postgres.log.1 first. */
export async function openServerLog(home: Home): Promise<ServerLog> {
  const path = join(home.path, 'postgres.log');
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  const rotate = size > ROTATE_BYTES;
  if (rotate) await rename(path, `${path}.1`);
  // Root must not follow a link that the folder's owner planted.
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW;
  const file = await open(path, flags, 0o600);
  if (callerIsRoot()) await file.chown(home.owner.uid, home.owner.gid);
  const start = rotate ? 0 : size;
  const text = async (): Promise<string> => (await readFile(path)).subarray(start).toString('utf8');
  return { file, text, tail: async () => (await text()).trimEnd().split('\n').slice(-TAIL_LINES).join('\n') };
}
