import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What `docker build` would be given of a checkout: the files that `.dockerignore` leaves. */
export class BuildContext {
  private readonly rules: { pattern: RegExp; keeps: boolean }[];

  constructor(readonly root: string) {
    this.rules = readFileSync(join(root, '.dockerignore'), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(#|$)/.test(line))
      .map((line) => ({ pattern: patternOf(line.replace(/^!/, '')), keeps: line.startsWith('!') }));
  }

  /** Whether a file, by its path below the root, is part of the context: the last rule that names it decides. */
  has(path: string): boolean {
    return this.rules.findLast(({ pattern }) => pattern.test(path))?.keeps ?? true;
  }

  /** The files at or below `path` that are part of the context. @throws Error when there is none, as COPY would */
  filesUnder(path: string): string[] {
    const files = filesAt(this.root, path).filter((file) => this.has(file));
    if (files.length === 0) throw new Error(`COPY ${path}: nothing of that name is in the build context.`);
    return files;
  }
}

function filesAt(root: string, path: string): string[] {
  if (!statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory()) {
    return statSync(join(root, path), { throwIfNoEntry: false }) === undefined ? [] : [path];
  }
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesAt(root, join(path, entry.name)) : [join(path, entry.name)],
  );
}

/** A pattern names a path and everything below it; `*` stays within one name, `**` does not. */
function patternOf(line: string): RegExp {
  const source = line.replace(/[.+^${}()|[\]\\]/g, '\\$&').replace(/\*\*\/|\*\*|\*|\?/g, (wildcard) => {
    if (wildcard === '**/') return '(?:.*/)?';
    if (wildcard === '**') return '.*';
    return wildcard === '*' ? '[^/]*' : '[^/]';
  });
  return new RegExp(`^${source}(?:/.*)?$`);
}
