/** Number of Unicode code points in `text`; every length limit of the wire counts these. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 0; i + 1 < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) {
      const next = text.charCodeAt(i + 1);
      if (next >= 0xdc00 && next <= 0xdfff) {
        count--;
        i++;
      }
    }
  }
  return count;
}

/** The first `limit` code points of `text`, never half of a pair; a cut is marked with an ellipsis inside the limit. */
export function preview(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // One code point more than is shown, at two units each, tells whether anything is cut.
  const points = Array.from(text.slice(0, (limit + 1) * 2));
  return points.length <= limit ? points.join('') : `${points.slice(0, limit - 1).join('')}…`;
}

/**
 * Why `text` cannot be stored, or undefined when it can: PostgreSQL has no NUL, and a lone surrogate
 * has no UTF-8 form, so neither would come back as sent.
 */
export function textFault(text: string): string | undefined {
  if (text.includes('\u0000')) return 'contains a NUL character';
  return hasLoneSurrogate(text) ? 'contains half of a surrogate pair' : undefined;
}

const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/;

function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}
