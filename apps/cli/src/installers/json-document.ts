import {
  createScanner,
  findNodeAtLocation,
  type Node,
  parse,
  type ParseError,
  parseTree,
  SyntaxKind,
} from 'jsonc-parser';
import { UnreadableClientFile } from './client-file-error';
import { type EditedText, inserted, lineEndOf, placeOf } from './text-edits';

const OPTIONS = { allowTrailingComma: true, disallowComments: false, allowEmptyContent: true };
const DEFAULT_UNIT = '  ';

/** JSON as people write it, with comments and trailing commas. @throws UnreadableClientFile with the place of the fault */
function parseJson(path: string, text: string): Node | undefined {
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, OPTIONS);
  const [first] = errors;
  if (first !== undefined) {
    const { line, column } = placeOf(text, first.offset);
    throw new UnreadableClientFile(path, 'is not valid JSON; mend it first. Nothing was changed.', line, column);
  }
  return root;
}

/** The value at `keys` as a program reads it, or undefined when there is none. @throws UnreadableClientFile */
export function valueAt(path: string, text: string, keys: readonly string[]): unknown {
  parseJson(path, text);
  return keys.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, key)
        ? (at as Record<string, unknown>)[key]
        : undefined,
    parse(text, [], OPTIONS),
  );
}

function nodeAt(root: Node | undefined, keys: readonly string[]): Node | undefined {
  return root === undefined ? undefined : findNodeAtLocation(root, [...keys]);
}

/** `edited` with `value` as the last member of the object at `keys`, which is made when missing. */
export function withMember(
  path: string,
  edited: EditedText,
  keys: readonly string[],
  name: string,
  value: unknown,
): EditedText {
  const holder = withContainer(path, edited, keys, 'object');
  return put(path, holder, keys, (indent, unit, compact) =>
    `${JSON.stringify(name)}: ${written(value, indent, unit, compact)}`.replaceAll('\n', lineEndOf(edited.text)),
  );
}

/** `edited` with `values` at the end of the array at `keys`, which is made when missing. */
export function withItems(
  path: string,
  edited: EditedText,
  keys: readonly string[],
  values: readonly string[],
): EditedText {
  const holder = withContainer(path, edited, keys, 'array');
  return values.reduce((soFar, value) => put(path, soFar, keys, () => JSON.stringify(value)), holder);
}

function withContainer(
  path: string,
  edited: EditedText,
  keys: readonly string[],
  type: 'object' | 'array',
): EditedText {
  const root = parseJson(path, edited.text);
  const node = nodeAt(root, keys);
  if (node?.type === type) return edited;
  if (node !== undefined) {
    const { line, column } = placeOf(edited.text, node.offset);
    const where = keys.length === 0 ? 'the file' : keys.join('.');
    throw new UnreadableClientFile(
      path,
      `${where} is not an ${type}; mend it first. Nothing was changed.`,
      line,
      column,
    );
  }
  const name = keys.at(-1);
  if (name === undefined) return withRoot(edited);
  return withMember(path, edited, keys.slice(0, -1), name, type === 'object' ? {} : []);
}

/** A file without any value gets an object, behind what comments it has. */
function withRoot(edited: EditedText): EditedText {
  const { text } = edited;
  const lineEnd = lineEndOf(text);
  const gap = text === '' || text.endsWith('\n') ? '' : lineEnd;
  return inserted(edited, { offset: text.length, text: `${gap}{}${lineEnd}` });
}

type Writer = (indent: string, unit: string, compact: boolean) => string;

/** Adds one more child to the object or array at `keys`, in the style of its siblings. */
function put(path: string, edited: EditedText, keys: readonly string[], write: Writer): EditedText {
  const { text } = edited;
  const root = parseJson(path, text);
  const holder = nodeAt(root, keys);
  if (root === undefined || holder === undefined) throw new Error(`There is nothing at ${keys.join('.')}.`);
  const children = holder.children ?? [];
  const last = children.at(-1);
  const close = holder.offset + holder.length - 1;
  const contentEnd = holder.offset + text.slice(holder.offset, close).trimEnd().length;
  const lineEnd = lineEndOf(text);
  const unit = unitOf(text, root);
  const closeIndent = indentAt(text, holder.offset);
  const first = children[0];
  const oneLine = first !== undefined && !text.slice(holder.offset, close).includes('\n');
  const indent = first === undefined ? closeIndent + unit : indentAt(text, first.offset);
  const item = write(indent, unit, oneLine);
  const lead = oneLine ? '' : `${lineEnd}${indent}`;
  const tail = oneLine || text.slice(contentEnd, close).includes('\n') ? '' : `${lineEnd}${closeIndent}`;
  if (last === undefined) return inserted(edited, { offset: contentEnd, text: lead + item + tail });
  const lastEnd = last.offset + last.length;
  const needsComma = commaAfter(text, lastEnd) === undefined;
  const space = oneLine && /[:,] /.test(text.slice(holder.offset, close)) ? ' ' : '';
  const added = `${space}${lead}${item}${tail}`;
  if (needsComma && lastEnd === contentEnd) return inserted(edited, { offset: lastEnd, text: `,${added}` });
  // A comment stands between: the comma goes before it, the new child behind it.
  const withItem = inserted(edited, { offset: contentEnd, text: added });
  return needsComma ? inserted(withItem, { offset: lastEnd, text: ',' }) : withItem;
}

/**
 * `text` without the child `name` of the object at `keys`, or without the item `name` of the array there, with the
 * comma and the line that belonged to it. Comments stay.
 */
export function withoutChild(path: string, text: string, keys: readonly string[], name: string): string {
  const root = parseJson(path, text);
  const children = nodeAt(root, keys)?.children ?? [];
  const at = children.findIndex(
    (child) => (child.type === 'property' ? child.children?.[0]?.value : child.value) === name,
  );
  const child = children[at];
  if (child === undefined) return text;
  const cuts = children.length > at + 1 ? cutsBeforeSibling(text, child) : cutsAtTheEnd(text, child, children[at - 1]);
  return cuts
    .sort(([one], [other]) => other - one)
    .reduce((rest, [from, to]) => rest.slice(0, from) + rest.slice(to), text);
}

type Cut = [from: number, to: number];

/** Takes out the child, its comma, and the white space up to what follows. */
function cutsBeforeSibling(text: string, child: Node): Cut[] {
  const end = child.offset + child.length;
  const comma = commaAfter(text, end) ?? end;
  const spaceAfter = /^\s*/.exec(text.slice(comma + 1))?.[0].length ?? 0;
  const next = comma + 1 + spaceAfter;
  return comma === end ? [[child.offset, next]] : [[child.offset, end], [comma, next]]; // prettier-ignore
}

/** Takes out the last child with the white space before it and one comma: the one behind it, else its predecessor's. */
function cutsAtTheEnd(text: string, child: Node, before: Node | undefined): Cut[] {
  const end = child.offset + child.length;
  const ownComma = commaAfter(text, end);
  const comma = ownComma ?? (before === undefined ? undefined : commaAfter(text, before.offset + before.length));
  const restOfLine = /^[^\n]*/.exec(text.slice(end))?.[0] ?? '';
  // What closes on the child's own line must not move up behind a line comment.
  const from = /[\]}]/.test(restOfLine) ? child.offset : startOfLead(text, child.offset);
  return [[from, end], ...(comma === undefined ? [] : [[comma, comma + 1] as Cut])];
}

/** Where the white space before a child begins. */
function startOfLead(text: string, offset: number): number {
  return text.slice(0, offset).trimEnd().length;
}

/** Offset of the comma that follows, comments passed over; undefined when something else does. */
function commaAfter(text: string, offset: number): number | undefined {
  const scanner = createScanner(text, true);
  scanner.setPosition(offset);
  return scanner.scan() === SyntaxKind.CommaToken ? scanner.getTokenOffset() : undefined;
}

/** The white space at the start of the line that `offset` is on. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? '';
}

/** One step of indentation in this file. */
function unitOf(text: string, root: Node): string {
  const first = root.children?.[0];
  const indent = first === undefined ? '' : indentAt(text, first.offset);
  return indent === '' ? DEFAULT_UNIT : indent;
}

function written(value: unknown, indent: string, unit: string, compact: boolean): string {
  if (compact) return JSON.stringify(value);
  return JSON.stringify(value, null, unit).replaceAll('\n', `\n${indent}`);
}
