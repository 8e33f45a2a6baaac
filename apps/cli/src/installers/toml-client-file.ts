import { stringify } from 'smol-toml';
import { holds, isEntry, withAdditions, without } from './additions';
import type { Added, Addition, ClientFile } from './client';
import { UnreadableClientFile } from './client-file-error';
import { parseToml, type Toml, tableAt, withBlock, withoutTable } from './toml-document';

/** A TOML file of a client: one table, with those below it. */
export class TomlClientFile implements ClientFile {
  constructor(
    readonly path: string,
    private readonly keys: string[],
    private readonly block: string,
    private readonly replace: boolean,
    /** What earlier versions put into the table besides. */
    private readonly retired: Toml,
  ) {}

  isSatisfied(text: string): boolean {
    return isEntry(tableAt(parseToml(this.path, text), this.keys), this.wanted);
  }

  holdsRetired(text: string): boolean {
    return holds(tableAt(parseToml(this.path, text), this.keys), this.retired);
  }

  add(text: string, former: string): Addition {
    const start = this.freeOfForeignTable(text);
    const block = this.blockWithAdditions(former);
    const edited = withBlock({ text: start, insertions: [] }, block);
    const replaced = start !== text || block !== this.block;
    try {
      if (this.isSatisfied(edited.text)) return { ...edited, added: [this.keys], replaced };
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

  private get wanted(): Toml {
    return tableAt(parseToml(this.path, this.block), this.keys) as Toml;
  }

  private blockWithAdditions(former: string): string {
    const present = tableAt(parseToml(this.path, former), this.keys);
    const theirs = this.holdsRetired(former) ? without(present as Toml, this.retired) : present;
    const table = withAdditions(this.wanted, theirs);
    if (holds(this.wanted, table)) return this.block;
    return stringify(this.keys.reduceRight<Toml>((inner, key) => ({ [key]: inner }), table));
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
