/** Says what was wrong with the embedded PostgreSQL and what to do about it; meant to be shown as it is, without a stack. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

const SYSTEM_REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission is denied. Run as the user who owns it, or choose another folder',
  EPERM: 'the system does not allow it. Run as the user who owns it, or choose another folder',
  EROFS: 'the file system is read-only. Choose a folder on a writable one',
  ENOSPC: 'the disk is full. Free some space and start again',
  ENOTDIR: 'a part of the path is a file, not a folder. Choose another folder or remove that file',
};

/** The code of a Node system error ("ENOENT"), or undefined for anything else. */
export function systemCode(error: unknown): string | undefined {
  // Not by instanceof: under Jest, Node's own errors come from another realm than this module's Error.
  return (error as NodeJS.ErrnoException | undefined)?.code;
}

/** Turns the system errors a user can act upon into an EmbeddedPostgresError; everything else comes back unchanged. */
export function readable(error: unknown): unknown {
  const reason = SYSTEM_REASONS[systemCode(error) ?? ''];
  if (error instanceof EmbeddedPostgresError || reason === undefined) return error;
  const { path, syscall } = error as NodeJS.ErrnoException;
  return new EmbeddedPostgresError(
    `Embedded PostgreSQL cannot ${syscall ?? 'use'} ${path ?? 'its files'}: ${reason}.`,
    {
      cause: error,
    },
  );
}

/** For `.catch()`: undefined when the file does not exist; any other error goes on. */
export function absent(error: unknown): undefined {
  if (systemCode(error) !== 'ENOENT') throw error;
}
