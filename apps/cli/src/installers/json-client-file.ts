import { isDeepStrictEqual } from 'node:util';
import { holds, isEntry, withAdditions } from './additions';
import type { Added, Addition, ClientFile } from './client';
import { UnreadableClientFile } from './client-file-error';
import { valueAt, withItems, withMember, withoutChild } from './json-document';
import type { EditedText } from './text-edits';

export interface JsonMember {
  /** The object that holds it. */
  keys: readonly string[];
  name: string;
  value: Record<string, unknown>;
  /** Whether a member of that name with another value may be replaced. */
  replace: boolean;
}

/** Strings that should stand in one of several lists next to each other: where the user put one, it stays. */
export interface JsonLists {
  /** The object that holds the lists. */
  keys: readonly string[];
  lists: Record<string, readonly string[]>;
}

interface Wanted {
  member?: JsonMember;
  lists?: JsonLists;
}

/** A JSON file of a client: one member of an object, and strings in lists. */
export class JsonClientFile implements ClientFile {
  constructor(
    readonly path: string,
    private readonly wanted: Wanted,
  ) {}

  isSatisfied(text: string): boolean {
    return this.holdsMember(text) && this.missing(text).every(({ values }) => values.length === 0);
  }

  holdsRetired(text: string, added: Added): boolean {
    const { lists } = this.wanted;
    if (lists === undefined) return false;
    return added.some((path) => {
      const [list, value] = path.slice(lists.keys.length);
      if (list === undefined || value === undefined || lists.lists[list]?.includes(value) === true) return false;
      const present = valueAt(this.path, text, [...lists.keys, list]);
      return Array.isArray(present) && present.includes(value);
    });
  }

  add(text: string, former: string): Addition {
    const added: string[][] = [];
    const start = this.freeOfForeignMember(text);
    let edited: EditedText = { text: start, insertions: [] };
    let hasAdditions = false;
    const { member } = this.wanted;
    if (member !== undefined && !this.holdsMember(start)) {
      const value = withAdditions(member.value, this.memberIn(former));
      hasAdditions = !holds(member.value, value);
      added.push(...newContainers(this.path, start, member.keys), [...member.keys, member.name]);
      edited = withMember(this.path, edited, member.keys, member.name, value);
    }
    for (const { keys, values } of this.missing(start)) {
      if (values.length === 0) continue;
      added.push(...newContainers(this.path, edited.text, keys), ...values.map((value) => [...keys, value]));
      edited = withItems(this.path, edited, keys, values);
    }
    if (!this.isSatisfied(edited.text)) throw new UnreadableClientFile(this.path, 'holds a name twice; mend it first.');
    return { ...edited, added, replaced: start !== text || hasAdditions };
  }

  remove(text: string, added: Added): string {
    return [...added].reverse().reduce((rest, path) => {
      const keys = path.slice(0, -1);
      const name = path.at(-1) ?? '';
      const value = valueAt(this.path, rest, path);
      // A container of ours stays when somebody else put something into it.
      const isContainer = typeof value === 'object' && value !== null;
      const isOurMember = isDeepStrictEqual(path, this.memberPath);
      if (isContainer && !isOurMember && Object.keys(value).length > 0) return rest;
      return withoutChild(this.path, rest, keys, name);
    }, text);
  }

  presumed(text: string): Added {
    const { lists } = this.wanted;
    const ours = Object.entries(lists?.lists ?? {}).flatMap(([list, values]) => {
      const keys = [...(lists?.keys ?? []), list];
      const present = valueAt(this.path, text, keys);
      return values
        .filter((value) => value.includes('agentrelay') && Array.isArray(present) && present.includes(value))
        .map((value) => [...keys, value]);
    });
    return [...(this.memberPath !== undefined && this.holdsMember(text) ? [this.memberPath] : []), ...ours];
  }

  private get memberPath(): string[] | undefined {
    const { member } = this.wanted;
    return member === undefined ? undefined : [...member.keys, member.name];
  }

  /** Members and variables that the user added to ours do not matter. */
  private holdsMember(text: string): boolean {
    const { member } = this.wanted;
    if (member === undefined) return true;
    return isEntry(this.memberIn(text), member.value);
  }

  private memberIn(text: string): unknown {
    return this.memberPath === undefined ? undefined : valueAt(this.path, text, this.memberPath);
  }

  private freeOfForeignMember(text: string): string {
    const { member } = this.wanted;
    if (member === undefined || this.memberIn(text) === undefined || this.holdsMember(text)) return text;
    if (member.replace) return withoutChild(this.path, text, member.keys, member.name);
    throw new UnreadableClientFile(
      this.path,
      `has another ${member.name} under ${member.keys.join('.')}; run again with --force to replace it.`,
    );
  }

  private missing(text: string): { keys: string[]; values: string[] }[] {
    const { lists } = this.wanted;
    if (lists === undefined) return [];
    const present = new Set(
      Object.keys(lists.lists).flatMap((list) => {
        const value = valueAt(this.path, text, [...lists.keys, list]);
        return Array.isArray(value) ? (value as unknown[]) : [];
      }),
    );
    return Object.entries(lists.lists).map(([list, values]) => ({
      keys: [...lists.keys, list],
      values: values.filter((value) => !present.has(value)),
    }));
  }
}

/** The objects and lists on the way to `keys` that are not there yet. */
function newContainers(path: string, text: string, keys: readonly string[]): string[][] {
  return keys.map((_, index) => keys.slice(0, index + 1)).filter((prefix) => valueAt(path, text, prefix) === undefined);
}
