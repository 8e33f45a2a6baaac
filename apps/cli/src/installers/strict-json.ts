import { type ParseError, parseTree } from 'jsonc-parser';
import { placeOf } from './text-edits';

/** Where a text stops being what a strict parser takes: at a trailing comma, or at a comment where it takes none. */
export function strictJsonFault(text: string, comments: boolean): { line: number; column: number } | undefined {
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: !comments, allowTrailingComma: false, allowEmptyContent: true });
  const [first] = errors;
  return first === undefined ? undefined : placeOf(text, first.offset);
}
