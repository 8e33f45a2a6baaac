import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Node,
  Pair,
  Scalar,
  visit,
  YAMLMap,
  YAMLSeq,
} from 'yaml';

/** The document's top mapping, made when there is none. */
export function rootOf(document: Document): YAMLMap {
  const { contents } = document;
  if (isMap(contents)) return contents;
  const root = new YAMLMap(document.schema);
  keepComments(contents ?? undefined, root);
  document.contents = root;
  return root;
}

/** The mapping called `name`, made when there is none. */
export function mapAt(document: Document, parent: YAMLMap, name: string): YAMLMap {
  const node = ownNode(document, parent, name);
  return isMap(node) ? inBlockStyle(node) : put(parent, name, new YAMLMap(document.schema), node);
}

/** The list called `name`, made when there is none. */
export function listAt(document: Document, parent: YAMLMap, name: string): YAMLSeq {
  const node = ownNode(document, parent, name);
  return isSeq(node) ? inBlockStyle(node) : put(parent, name, new YAMLSeq(document.schema), node);
}

export function setValue(document: Document, parent: YAMLMap, name: string, value: boolean): void {
  put(parent, name, new Scalar(value), ownNode(document, parent, name));
}

/** Makes the list called `name` hold these values in this order; the items that stay keep their comments. */
export function setList(document: Document, parent: YAMLMap, name: string, values: readonly string[]): void {
  const list = listAt(document, parent, name);
  const surplus = [...values];
  removeWhere(document, list, (item) => {
    const at = surplus.indexOf(item);
    if (at >= 0) surplus.splice(at, 1);
    return at < 0;
  });
  const kept = [...list.items];
  list.items = values.map((value) => {
    const at = kept.findIndex((item) => textOf(document, item) === value);
    return at < 0 ? new Scalar(value) : kept.splice(at, 1)[0];
  });
}

/** Takes out the entries whose key or value is such a text. The comments around them stay: they are the user's. */
export function removeWhere(document: Document, from: YAMLMap | YAMLSeq, matches: (text: string) => boolean): void {
  for (let i = 0; i < from.items.length;) {
    if (matches(textOf(document, from.items[i]))) removeAt(from, i);
    else i++;
  }
}

function removeAt(from: YAMLMap | YAMLSeq, index: number): void {
  const [removed] = from.items.splice(index, 1);
  const comments = commentsOf(removed as Node | Pair);
  if (comments.length === 0) return;
  const next = from.items[index];
  const neighbour = isPair(next) ? next.key : next;
  if (isNode(neighbour)) neighbour.commentBefore = joined([...comments, neighbour.commentBefore]);
  else from.comment = joined([from.comment, ...comments]);
}

/** The node called `name`, as one that may be changed without changing another: in place of an alias stands a copy. */
function ownNode(document: Document, parent: YAMLMap, name: string): Node | undefined {
  const node = parent.get(name, true) as Node | null | undefined;
  if (!isAlias(node)) return node ?? undefined;
  return put(parent, name, document.createNode(node.toJS(document)), node);
}

function put<Put extends Node>(parent: YAMLMap, name: string, node: Put, instead: Node | undefined): Put {
  keepComments(instead, node);
  if (parent.has(name)) parent.set(name, node);
  else parent.add(new Pair(new Scalar(name), node));
  return node;
}

function inBlockStyle<Collection extends YAMLMap | YAMLSeq>(collection: Collection): Collection {
  if (collection.items.length === 0) collection.flow = false;
  return collection;
}

function textOf(document: Document, entry: unknown): string {
  const node = isPair(entry) ? entry.key : entry;
  return String(isNode(node) ? node.toJS(document) : node);
}

function keepComments(from: Node | undefined, to: Node): void {
  if (from === undefined) return;
  to.commentBefore = from.commentBefore ?? null;
  // Behind a scalar stands its line's comment; behind a collection that took its place it would follow the last entry.
  if (isScalar(from) && isCollection(to)) to.commentBefore = joined([from.comment, to.commentBefore]) || null;
  else to.comment = from.comment ?? null;
}

function commentsOf(removed: Node | Pair): string[] {
  const found: (string | null | undefined)[] = [];
  const look = (_key: unknown, node: Node): void => void found.push(node.commentBefore, node.comment);
  if (isPair(removed)) for (const part of [removed.key, removed.value]) if (isNode(part)) visit(part, { Node: look });
  if (isNode(removed)) visit(removed, { Node: look });
  return found.filter((comment) => typeof comment === 'string');
}

function joined(comments: readonly (string | null | undefined)[]): string {
  return comments.filter((comment) => typeof comment === 'string').join('\n');
}
