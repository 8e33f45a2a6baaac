/** What no path of a handoff needs, and what some file system or other reads as another path. */
const TRICKS = [
  /[\p{C}\p{Zl}\p{Zp}]/u, // controls and characters that nobody sees
  /\\/, // a separator on Windows
  /:/, // drives and streams on Windows
  /^~/, // a home folder
  /[. ](\/|$)/, // Windows drops trailing dots and spaces; `.` and `..` were taken out before
  /~\d/, // short names on Windows
];

/**
 * A relative path below some folder, with `.` and doubled slashes taken out; undefined when it is anything else:
 * absolute, with a `..`, or spelt so that a file system may take it for another path.
 */
export function belowFolder(path: string): string | undefined {
  if (path.startsWith('/')) return undefined;
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  const normal = segments.join('/');
  if (segments.length === 0 || segments.includes('..')) return undefined;
  return TRICKS.some((trick) => trick.test(normal)) ? undefined : normal;
}

const PATTERN_SIGNS = /[*?[\]{}]|^!/;

/** Whether a list of paths may hold it: it names one file or folder of the project, and is no pattern for several. */
export function isPlainPath(path: string): boolean {
  return belowFolder(path) !== undefined && !PATTERN_SIGNS.test(path);
}

/** Whether `path` is the file or folder `listed`, or below it. Both have been through `belowFolder`. */
export function isWithin(path: string, listed: string): boolean {
  return path === listed || path.startsWith(`${listed}/`);
}

/** As `isWithin`, for file systems that tell neither case nor composition apart. */
export function mayBeWithin(path: string, listed: string): boolean {
  return isWithin(folded(path), folded(listed));
}

function folded(path: string): string {
  return path.normalize('NFKC').toLowerCase().normalize('NFKC');
}
