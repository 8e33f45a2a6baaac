import { isDeepStrictEqual } from 'node:util';
import type { Added, Addition, ClientFile } from './client';
import { UnreadableClientFile } from './client-file-error';
import { parseToml, tableAt, withBlock, withoutTable } from './toml-document';

/** A TOML file of a client: one table, with those below it. */
export class TomlClientFile implements ClientFile {
  constructor(
    readonly path: string,
    private readonly keys: string[],
    private readonly block: string,
    private readonly replace: boolean,
  ) {}

  isSatisfied(text: string): boolean {
    const wanted = tableAt(parseToml(this.path, this.block), this.keys);
    return holds(tableAt(parseToml(this.path, text), this.keys), wanted);
  }

  add(text: string): Addition {
    const start = this.freeOfForeignTable(text);
    const edited = withBlock({ text: start, insertions: [] }, this.block);
    try {
      if (this.isSatisfied(edited.text)) return { ...edited, added: [this.keys], replaced: start !== text };
    } catch {
      // Told below, in terms of the user's file.
    }
    const [parent = ''] = this.keys;
    throw new UnreadableClientFile(
      this.path,
      `writes ${parent} on one line; write it as [${parent}.<name>] tables first.`,
    );
  }

  remove(text: string, added: Added): string {
    return added.reduce((rest, keys) => withoutTable(this.path, rest, keys), text);
  }

  presumed(text: string): Added {
    return this.isSatisfied(text) ? [this.keys] : [];
  }

  private freeOfForeignTable(text: string): string {
    if (tableAt(parseToml(this.path, text), this.keys) === undefined) return text;
    if (this.replace) return withoutTable(this.path, text, this.keys);
    throw new UnreadableClientFile(
      this.path,
      `has another ${this.keys.join('.')}; run again with --force to replace it.`,
    );
  }
}

/** Whether `present` says what `wanted` says; it may say more. */
function holds(present: unknown, wanted: unknown): boolean {
  if (typeof wanted !== 'object' || wanted === null || Array.isArray(wanted)) return isDeepStrictEqual(present, wanted);
  if (typeof present !== 'object' || present === null) return false;
  return Object.entries(wanted).every(([key, value]) => holds((present as Record<string, unknown>)[key], value));
}
