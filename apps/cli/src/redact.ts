/** What stands in the place of a secret. */
const HIDDEN = '(not shown)';

const PATTERNS: readonly [pattern: RegExp, replacement: string][] = [
  // The secret part of an invite's link.
  [/#v1\.[^\s'"]*/g, `#v1.${HIDDEN}`],
  // Keys of agents.
  [/\bar_(live|test)_[^\s'"]*/g, `ar_$1_${HIDDEN}`],
  // A user name and password in an address.
  [/([a-z][a-z+.-]*:[/\\]{1,2})[^\s/\\?#'"]*@/gi, `$1${HIDDEN}@`],
  // A secret as programs make it: long, without a break, of small letters, capital letters and digits.
  [/(?=[\w+/-]*[a-z])(?=[\w+/-]*[A-Z])(?=[\w+/-]*\d)[\w+-]{32,}=*/g, HIDDEN],
];

/** `text` without what may be a secret: links of invites, keys, passwords in addresses, tokens. */
export function redacted(text: string): string {
  return PATTERNS.reduce((shown, [pattern, replacement]) => shown.replace(pattern, replacement), text);
}

/** What is certainly no secret when it was typed as a word: short, and of plain characters. */
const HARMLESS = /^-{0,2}[A-Za-z0-9@._-]{1,40}$/;

/** A message about wrong usage, which quotes what was typed: whatever of it may be a secret is left out. */
export function redactedUsage(message: string, typed: readonly string[]): string {
  const doubtful = typed.flatMap((word) => [word, word.slice(word.indexOf('=') + 1)]).filter((w) => !HARMLESS.test(w));
  return redacted(doubtful.reduce((shown, word) => shown.replaceAll(`'${word}'`, `'${withoutValue(word)}'`), message));
}

/** The name of an option that was given a value, at most. */
function withoutValue(word: string): string {
  const [name = ''] = word.split('=', 1);
  return name !== word && name.startsWith('--') && HARMLESS.test(name) ? `${name}=${HIDDEN}` : HIDDEN;
}
