import { WorkstationFileError } from './workstation-file-error';

const NOT_ALLOWED = 'Make its folder writable, or set AGENTRELAY_HOME to a folder that is.';
const NO_ROOM = 'Make room on that disk, then run it again.';

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: NOT_ALLOWED,
  EEXIST: NOT_ALLOWED,
  ENOTDIR: NOT_ALLOWED,
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
};

/** The error of a file that could not be written, with what to do where the system's reason tells. */
export function notWritten(path: string, cause: unknown): WorkstationFileError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice = ADVICE[(cause as NodeJS.ErrnoException).code ?? ''];
  const words = `cannot be written: ${reason}${advice === undefined ? '' : `. ${advice}`}`;
  return new WorkstationFileError(path, words, undefined, undefined, { cause });
}
