import { isInvisible } from './invisible';

/**
 * Where an invisible code point is part of what is written: inside an emoji that Unicode recommends, between letters of a
 * script that is written with joiners, or as the one selector that chooses the form of a sign before it.
 */

const ZERO_WIDTH_JOINER = 0x200d;
const ZERO_WIDTH_NON_JOINER = 0x200c;
const TEXT_STYLE = 0xfe0e;
const EMOJI_STYLE = 0xfe0f;
const MONGOLIAN_VOWEL_SEPARATOR = 0x180e;
const CANCEL_TAG = 0xe007f;
const BLACK_FLAG = 0x1f3f4;
const KEYCAP = 0x20e3;

/** Recommended emoji join at most so many parts, with at most so many code points. */
const MOST_PARTS = 4;
const LONGEST_EMOJI = 16;

/** Asking whether a sequence is recommended is slow; texts repeat a few of them. */
const MOST_REMEMBERED = 1_000;
const remembered = new Map<string, boolean>();

// Written as strings: the compiler's target knows neither the flag nor the property of sequences.
const RECOMMENDED_EMOJI = new RegExp('^\\p{RGI_Emoji}$', 'v');
const EMOJI = /^\p{Emoji}$/u;
const EMOJI_MODIFIER = /^\p{Emoji_Modifier}$/u;
const EMOJI_BY_DEFAULT = /^\p{Emoji_Presentation}$/u;
const NO_EMOJI_ALONE = /^[0-9#*\p{Regional_Indicator}\p{Emoji_Modifier}]$/u;
const LETTER_OR_MARK = /^[\p{L}\p{M}]$/u;
const IDEOGRAPH = /^\p{Script=Han}$/u;
const MATHEMATICAL = /^\p{Math}$/u;
const MONGOLIAN = /^(?=\p{L})\p{Script_Extensions=Mong}$/u;

/** Scripts whose letters join, stack or part by a joiner between them; the ones read most come first. */
const JOINING_SCRIPTS = [
  'Arab', 'Deva', 'Beng', 'Sinh', 'Mlym', 'Taml', 'Telu', 'Knda', 'Gujr', 'Guru', 'Orya', 'Syrc', 'Mand', 'Nkoo', 'Mong',
  'Phag', 'Mani', 'Adlm', 'Rohg', 'Sogd', 'Phlp', 'Chrs', 'Ougr', 'Mymr', 'Khmr', 'Tibt', 'Java', 'Bali', 'Sund', 'Lana',
  'Mtei', 'Cakm', 'Newa', 'Tirh', 'Sidd', 'Modi', 'Shrd', 'Sind', 'Gran', 'Kthi', 'Takr', 'Brah', 'Khar', 'Limb', 'Lepc',
  'Saur', 'Sylo', 'Mahj', 'Mult', 'Khoj', 'Ahom', 'Bhks', 'Gonm', 'Gong', 'Nand', 'Diak', 'Dogr', 'Zanb', 'Soyo',
].map((script) => new RegExp(`^\\p{Script_Extensions=${script}}$`, 'u')); // prettier-ignore

/** Scripts with letter forms that the first selector chooses. */
const SCRIPTS_WITH_FORMS = /^[\p{Script=Mymr}\p{Script=Phag}\p{Script=Mani}]$/u;

/**
 * Where the text that the invisible code point at `at` belongs to ends, when it is needed there; undefined when it is not.
 * Looks at a bounded number of code points around it.
 */
export function endOfNeeded(text: string, at: number): number | undefined {
  const before = codePointBefore(text, at);
  if (before === undefined) return undefined;
  const code = text.codePointAt(at) ?? 0;
  if (code === ZERO_WIDTH_JOINER || code === TEXT_STYLE || code === EMOJI_STYLE || isTag(code)) {
    const end = endOfEmoji(text, at, before);
    if (end !== undefined) return end;
  }
  const end = at + widthOf(code);
  const after = text.codePointAt(end);
  // Nothing that is needed stands in a run of what nobody sees.
  if (after !== undefined && isInvisible(after)) return undefined;
  if (code === ZERO_WIDTH_JOINER || code === ZERO_WIDTH_NON_JOINER)
    return after !== undefined && joins(before, after) ? end : undefined;
  if (code === MONGOLIAN_VOWEL_SEPARATOR)
    return after !== undefined && isMongolian(before) && isMongolian(after) ? end : undefined;
  return choosesForm(code, before, after) ? end : undefined;
}

function isTag(code: number): boolean {
  return code > 0xe0000 && code <= CANCEL_TAG;
}

/** An emoji that the code point at `at`, after `before`, is inside of. */
function endOfEmoji(text: string, at: number, before: number): number | undefined {
  let start = at - widthOf(before);
  if (EMOJI_MODIFIER.test(String.fromCodePoint(before))) {
    const base = codePointBefore(text, start);
    if (base !== undefined) start -= widthOf(base);
  }
  if (!EMOJI.test(String.fromCodePoint(text.codePointAt(start) ?? 0))) return undefined;
  const candidate = emojiCandidate(text, start);
  // The longest recommended emoji wins: what is glued behind it is shown.
  for (let length = candidate.length; length > 1; length = candidate.lastIndexOf(ZERO_WIDTH_JOINER, length - 1)) {
    const codes = candidate.slice(0, length);
    const end = start + codes.reduce((width, code) => width + widthOf(code), 0);
    if (end <= at) return undefined;
    if (isRecommended(codes)) return end;
  }
  return undefined;
}

/** Code points from `start` on that an emoji could consist of. */
function emojiCandidate(text: string, start: number): number[] {
  const codes: number[] = [];
  let parts = 1;
  for (let at = start; at < text.length && codes.length < LONGEST_EMOJI;) {
    const code = text.codePointAt(at) ?? 0;
    if (codes.length > 0 && !continuesEmoji(code, codes.at(-1) ?? 0)) break;
    if (code === ZERO_WIDTH_JOINER && ++parts > MOST_PARTS) break;
    codes.push(code);
    at += widthOf(code);
  }
  return codes;
}

function continuesEmoji(code: number, last: number): boolean {
  if (last === ZERO_WIDTH_JOINER) return EMOJI.test(String.fromCodePoint(code));
  if (isTag(code)) return last === BLACK_FLAG || isTag(last);
  return isGlue(code) || code === KEYCAP || EMOJI_MODIFIER.test(String.fromCodePoint(code));
}

function isGlue(code: number): boolean {
  return code === ZERO_WIDTH_JOINER || code === EMOJI_STYLE || code === TEXT_STYLE;
}

/** Whether Unicode recommends the emoji, also when selectors are left out of it, as many keyboards do. */
function isRecommended(codes: readonly number[]): boolean {
  if (codes.every((code) => code !== ZERO_WIDTH_JOINER && code !== KEYCAP && !isTag(code))) return false;
  const whole: number[] = [];
  for (const [index, code] of codes.entries()) {
    const next = codes[index + 1];
    if (code === EMOJI_STYLE) {
      if (!takesEmojiStyle(codes[index - 1] ?? 0, next)) return false;
      continue;
    }
    whole.push(code);
    const following = next === EMOJI_STYLE ? codes[index + 2] : next;
    if (takesEmojiStyle(code, following)) whole.push(EMOJI_STYLE);
  }
  const emoji = String.fromCodePoint(...whole);
  const known = remembered.get(emoji);
  if (known !== undefined) return known;
  if (remembered.size >= MOST_REMEMBERED) remembered.clear();
  const answer = RECOMMENDED_EMOJI.test(emoji);
  remembered.set(emoji, answer);
  return answer;
}

/** Whether the full spelling of an emoji has a selector behind this code point. */
function takesEmojiStyle(code: number, next: number | undefined): boolean {
  const character = String.fromCodePoint(code);
  if (!EMOJI.test(character) || EMOJI_BY_DEFAULT.test(character)) return false;
  return next === undefined || !EMOJI_MODIFIER.test(String.fromCodePoint(next));
}

function joins(before: number, after: number): boolean {
  const [left, right] = [String.fromCodePoint(before), String.fromCodePoint(after)];
  if (!LETTER_OR_MARK.test(left) || !LETTER_OR_MARK.test(right)) return false;
  return JOINING_SCRIPTS.some((script) => script.test(left) && script.test(right));
}

function isMongolian(code: number): boolean {
  return MONGOLIAN.test(String.fromCodePoint(code));
}

/** Whether `code` is the selector of a form that the sign before it has. */
function choosesForm(code: number, before: number, after: number | undefined): boolean {
  const sign = String.fromCodePoint(before);
  if (code === TEXT_STYLE || code === EMOJI_STYLE) {
    if (/^[0-9#*]$/.test(sign)) return after === KEYCAP;
    return EMOJI.test(sign) && !NO_EMOJI_ALONE.test(sign);
  }
  if (code >= 0xe0100 && code <= 0xe01ef) return IDEOGRAPH.test(sign);
  if (code >= 0xfe00 && code <= 0xfe02 && IDEOGRAPH.test(sign)) return true;
  if (code === 0xfe00) return MATHEMATICAL.test(sign) || SCRIPTS_WITH_FORMS.test(sign);
  if ((code >= 0x180b && code <= 0x180d) || code === 0x180f) return isMongolian(before);
  return false;
}

function codePointBefore(text: string, at: number): number | undefined {
  if (at === 0) return undefined;
  const unit = text.charCodeAt(at - 1);
  const isSecondHalf = unit >= 0xdc00 && unit <= 0xdfff && at > 1;
  const whole = isSecondHalf ? text.codePointAt(at - 2) : undefined;
  return whole !== undefined && whole > 0xffff ? whole : unit;
}

function widthOf(code: number): number {
  return code > 0xffff ? 2 : 1;
}
