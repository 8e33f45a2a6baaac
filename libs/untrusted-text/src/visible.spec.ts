import fc from 'fast-check';
import { visible, visibleJson, visibleLine } from './visible';

/** What nobody sees by Unicode's properties, without line feed, tab and the drawn signs among the format characters. */
const UNSEEN = /(?![\t\n\u0600-\u0605\u06dd\u070f\u0890\u0891\u08e2\u{110bd}\u{110cd}])[\p{C}\p{Zl}\p{Zp}\p{DI}]/u;
const UNASSIGNED = /\p{Cn}/u;
const EMOJI = new RegExp('\\p{RGI_Emoji}', 'gv');

const name = (code: number): string => `⟦U+${code.toString(16).toUpperCase().padStart(4, '0')}⟧`;

/** Every code point that nobody sees; unassigned ones only where Unicode says that they are ignored. */
function unseenCodePoints(): number[] {
  const codes: number[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    if (UNSEEN.test(character) && (!UNASSIGNED.test(character) || /[\p{DI}\p{NChar}]/u.test(character)))
      codes.push(code);
  }
  return codes;
}

/** Code points written as many different texts are. */
const VISIBLE_PIECES = [
  'a',
  'Z',
  '7',
  ' ',
  'é',
  'ж',
  '辻',
  '語',
  'ن',
  'م',
  'क',
  'ष',
  'ක',
  'ᠠ',
  'က',
  '❤',
  '👩',
  '🔥',
  '🏽',
  '🏴',
  '∩',
  '#',
];
const UNSEEN_PIECES = [0x200b, 0x200c, 0x200d, 0xfe00, 0xfe01, 0xfe0e, 0xfe0f, 0x180b, 0x180e, 0x2060, 0x202e, 0xad, 0xe0041, 0xe007f, 0xe0100, 0xe01ef, 0xfff0, 0x17b4, 0x1d173, 0x13430, 0xe000, 0xfeff].map((code) => String.fromCodePoint(code)); // prettier-ignore

describe('visible', () => {
  it('writes out every code point that nobody sees, when it stands between Latin letters', () => {
    const codes = unseenCodePoints();
    expect(codes.length).toBeGreaterThan(140_000);
    const survivors = codes.filter((code) => visible(`a${String.fromCodePoint(code)}b`) !== `a${name(code)}b`);
    expect(survivors).toEqual([]);
  });

  it.each([0x2800, 0x3164, 0x115f, 0x1160, 0xffa0, 0x1d159, 0x13441])(
    'writes out what is drawn as nothing: %i',
    (code) => {
      expect(visible(`a${String.fromCodePoint(code)}`)).toBe(`a${name(code)}`);
    },
  );

  it('keeps what nobody sees only inside a recommended emoji, or alone behind what is seen', () => {
    const piece = fc.oneof(fc.constantFrom(...VISIBLE_PIECES), fc.constantFrom(...UNSEEN_PIECES));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        // A heart may lack the selector that its full spelling has.
        const spelled = visible(pieces.join('')).replace(/❤(?![\ufe0e\ufe0f])/gu, '❤\ufe0f');
        const rest = Array.from(spelled.replace(EMOJI, '☺'));
        for (const [at, character] of rest.entries()) {
          if (!UNSEEN.test(character)) continue;
          expect([rest[at - 1] ?? '', rest[at + 1] ?? ''].filter((beside) => UNSEEN.test(beside))).toEqual([]);
          const pair = `${rest[at - 1] ?? ''}${character}`;
          expect(`${pair}${rest[at + 1] ?? ''}`).toMatch(
            /^(\p{sc=Han}[\u{e0100}-\u{e01ef}\ufe00-\ufe02]|[\p{Math}က]\ufe00|ᠠ[\u180b-\u180e]|\p{Emoji}[\ufe0e\ufe0f]|[نمकषකᠠက][\u200c\u200d][نمकषකᠠက])/u,
          );
        }
      }),
      { numRuns: 5_000 },
    );
  });

  it('keeps every recommended emoji of one code point, with and without selector, and every kind of sequence', () => {
    const texts: string[] = [];
    const single = new RegExp('^\\p{RGI_Emoji}$', 'v');
    for (let code = 0x80; code <= 0x1ffff; code++) {
      const character = String.fromCodePoint(code);
      for (const emoji of [character, `${character}\ufe0f`]) if (single.test(emoji)) texts.push(emoji);
    }
    for (const tone of ['', '🏻', '🏼', '🏽', '🏾', '🏿'])
      for (const person of ['👩', '👨', '🧑'])
        for (const role of [
          '⚕️',
          '🌾',
          '🍳',
          '🎓',
          '🎤',
          '🎨',
          '🏫',
          '🏭',
          '💻',
          '💼',
          '🔧',
          '🔬',
          '🚀',
          '🚒',
          '✈️',
          '⚖️',
          '🦯',
          '🦰',
          '🦲',
        ])
          texts.push(`${person}${tone}\u200d${role}`);
    texts.push('👨‍👩‍👧‍👦', '👩🏽‍❤️‍💋‍👨🏻', '🏳️‍🌈', '🏳️‍⚧️', '🏴‍☠️', '❤️‍🔥', '👁️‍🗨️', '🐻‍❄️', '⛹🏿‍♂️', '1️⃣', '#️⃣', '🇩🇪', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '🏴󠁧󠁢󠁳󠁣󠁴󠁿');
    expect(texts.length).toBeGreaterThan(1_500);
    expect(texts.filter((text) => visible(`x${text}y`) !== `x${text}y`)).toEqual([]);
    expect(visible(texts.join(''))).toBe(texts.join(''));
    const unqualified = texts.map((text) => text.replaceAll('\ufe0f', '')).join(' ');
    expect(visible(unqualified)).toBe(unqualified);
  });

  it.each([
    'naïve Ärger, “quotes” — and… №5 ½ €',
    'ελληνικά, русский, українська, հայերեն, ქართული',
    '日本語の文章。ｶﾀｶﾅ 한국어 ᄒᆞᆫ 中文，繁體',
    'العربية مع ٢٠٢٦ و؀ و۝',
    'می‌خواهم، نمی‌دانم',
    'हिन्दी क्‍ष র‍্য ශ්‍රී ქ தமிழ் ಕನ್ನಡ മലയാളം',
    'עברית ภาษาไทย ລາວ ខ្មែរ မြန်မာ བོད་ཡིག',
    'ᠠ᠋ᠭ ᠨ᠎ᠠ',
    '辻󠄀 葛󠄁 ∩︀',
    'Tab\there\nand there, 👍🏽 and ☺︎ and ™️',
  ])('keeps %s', (text) => {
    expect(visible(text)).toBe(text);
    expect(JSON.parse(visibleJson(text))).toBe(text);
  });

  it.each([
    ['an unknown sequence of emoji', '😀\u200d😀', '😀⟦U+200D⟧😀'],
    ['what is glued behind an emoji', '👨‍👩‍👧\u200d🍕', '👨‍👩‍👧⟦U+200D⟧🍕'],
    ['tags that are no flag', '🏴\u{e0041}\u{e007f}', '🏴⟦U+E0041⟧⟦U+E007F⟧'],
    ['a selector behind a digit', '1\ufe0f', '1⟦U+FE0F⟧'],
    ['a second selector', '❤\ufe0f\ufe0f', '❤⟦U+FE0F ×2⟧'],
    ['joiners in a run between letters that join', 'ن\u200c\u200cم', 'ن⟦U+200C ×2⟧م'],
    ['a joiner between two scripts', 'न\u200dم', 'न⟦U+200D⟧م'],
    ['a joiner at the end', 'ن\u200d', 'ن⟦U+200D⟧'],
    ['half of a pair', 'a\ud800b', 'a⟦U+D800⟧b'],
    ['controls', 'a\u0000\u001b[2J\r', 'a⟦U+0000⟧⟦U+001B⟧[2J⟦U+000D⟧'],
  ])('writes out %s', (_, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('writes a run of one character once, with its number, however long it is', () => {
    expect(visible(`a${'\u200b'.repeat(349_000)}b`)).toBe('a⟦U+200B ×349000⟧b');
    expect(visible('\u{e0041}'.repeat(5_000_000))).toBe('⟦U+E0041 ×5000000⟧');
  });

  it('names a bounded number of different characters in a row, and tells how many follow', () => {
    const shown = visible('\u200b\u200c'.repeat(100_000));
    expect(shown).toMatch(/^(⟦U\+200B⟧⟦U\+200C⟧){32}⟦and 199936 more such characters⟧$/);
  });

  it('takes what is no text any more when it is asked twice', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 100 }), (text) => {
        expect(visible(visible(text))).toBe(visible(text));
      }),
    );
  });

  it('forces what a sentence quotes onto its line', () => {
    expect(visibleLine('a\nb\tc\u2028d')).toBe('a⏎b c⟦U+2028⟧d');
  });

  it('keeps the value of JSON, with each such character as an escape', () => {
    expect(visibleJson('a\u200d\u200c\u3164\u{e0041}b')).toBe('"a\\u200d\\u200c\\u3164\\udb40\\udc41b"');
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(JSON.parse(visibleJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
      }),
    );
  });
});
