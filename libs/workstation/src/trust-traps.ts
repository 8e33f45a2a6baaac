import { type Document, isScalar, type Node, visit } from 'yaml';

/** A place of the file that a person reads in another way than the parser. */
interface Trap {
  reason: string;
  offset: number;
}

/** Characters that some programs take for a line's end and YAML does not, controls, and marks that turn text around. */
const DECEPTIVE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufeff]|\r(?!\n)/;

/** The first character that makes people and the parser see different lines, or undefined. */
export function textTrap(source: string): Trap | undefined {
  const found = DECEPTIVE.exec(source);
  if (found === null) return undefined;
  const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return {
    reason: `holds the character U+${code}, which can hide or turn around what follows. Take it out.`,
    offset: found.index,
  };
}

/** What YAML allows and this file does not: another version of YAML, merge keys, a key that stands for another. */
export function yamlTrap(source: string, document: Document): Trap | undefined {
  const directive = /^%[^\n]*/m.exec(source);
  if (directive !== null && document.directives?.yaml.explicit === true)
    return { reason: 'must not choose a version of YAML. Take the line out.', offset: directive.index };
  let trap: Trap | undefined;
  visit(document, {
    Pair: (_key, { key }) => {
      if (!isMergeKey(key)) return undefined;
      const reason = 'merges (<<) are not known here, and would leave out what they name. Write it out.';
      trap = { reason, offset: (key as Node).range?.[0] ?? 0 };
      return visit.BREAK;
    },
  });
  return trap;
}

function isMergeKey(key: unknown): boolean {
  return isScalar(key) && (key.value === '<<' || key.source === '<<' || key.tag?.endsWith(':merge') === true);
}
