import { isDeepStrictEqual } from 'node:util';

export interface PatchOperation {
  op: string;
  path: string;
  value?: unknown;
}

/** Applies the operations test, add, replace and remove of RFC 6902. @throws Error when one does not fit */
export function applyPatch(target: unknown, operations: readonly PatchOperation[]): void {
  for (const { op, path, value } of operations) {
    const [key = '', ...above] = path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reverse();
    const parent = above.reverse().reduce<unknown>((node, part) => member(node, part, path), target);
    if (op !== 'add') member(parent, key, path);
    if (op === 'test' && !isDeepStrictEqual(member(parent, key, path), value))
      throw new Error(`test ${path}: it is ${JSON.stringify(member(parent, key, path))}`);
    if (op === 'add' && Array.isArray(parent)) parent.splice(key === '-' ? parent.length : Number(key), 0, value);
    else if (op === 'add' || op === 'replace') (parent as Record<string, unknown>)[key] = value;
    else if (op === 'remove' && Array.isArray(parent)) parent.splice(Number(key), 1);
    else if (op === 'remove') delete (parent as Record<string, unknown>)[key];
    else if (op !== 'test') throw new Error(`${op} ${path}: unknown operation`);
  }
}

function member(node: unknown, key: string, path: string): unknown {
  const value = typeof node === 'object' && node !== null ? (node as Record<string, unknown>)[key] : undefined;
  if (value === undefined) throw new Error(`${path}: there is no "${key}"`);
  return value;
}
