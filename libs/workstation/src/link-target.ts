import { readlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/** As many as Linux follows. */
const MOST_LINKS = 40;

/**
 * Where a file would be that is written at `path`: symbolic links are followed to the end, in the file's name and in its
 * folders, whether or not something is there. Of links that lead in a circle the path itself: using it fails.
 */
export function linkTarget(path: string): string {
  return followed(resolve(path), { left: MOST_LINKS }) ?? path;
}

function followed(path: string, links: { left: number }): string | undefined {
  const above = dirname(path);
  if (above === path) return path;
  const folder = followed(above, links);
  if (folder === undefined) return undefined;
  const here = join(folder, basename(path));
  const to = linkAt(here);
  if (to === undefined) return here;
  return links.left-- === 0 ? undefined : followed(resolve(folder, to), links);
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}
