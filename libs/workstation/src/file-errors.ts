import { WorkstationFileError } from './workstation-file-error';

const ELSEWHERE = 'Set AGENTRELAY_HOME to a folder that you can write to.';
const NOT_ALLOWED = `Make its folder writable. Or: ${ELSEWHERE}`;
const NO_FOLDER = `A part of this path is a file. ${ELSEWHERE}`;
const TOO_LONG = `The path is too long. ${ELSEWHERE}`;
const CIRCLE = `Symbolic links on this path lead to each other. ${ELSEWHERE}`;
const NO_ROOM = 'Make room on that disk, then run it again.';

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  EROFS: NOT_ALLOWED,
  EEXIST: NO_FOLDER,
  ENOTDIR: NO_FOLDER,
  ENAMETOOLONG: TOO_LONG,
  ELOOP: CIRCLE,
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
};

/** The error of a file that could not be written, with what to do where the system's reason tells. */
export function notWritten(path: string, cause: unknown): WorkstationFileError {
  return fileError(path, 'cannot be written', cause);
}

/** The error of a file that could not be read, with what to do where the system's reason tells. */
export function notRead(path: string, cause: unknown): WorkstationFileError {
  return fileError(path, 'cannot be read', cause);
}

function fileError(path: string, fault: string, cause: unknown): WorkstationFileError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice = ADVICE[(cause as NodeJS.ErrnoException).code ?? ''];
  const words = `${fault}: ${reason}${advice === undefined ? '' : `. ${advice}`}`;
  return new WorkstationFileError(path, words, undefined, undefined, { cause });
}
