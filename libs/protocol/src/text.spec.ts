import fc from 'fast-check';
import { codePoints, preview, textFault } from './text';

/** Any UTF-16 there can be, halves of pairs included. */
const units = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)) });
const emoji = fc.string({ unit: fc.constantFrom('🙂', 'a', '👨‍👩‍👧', 'é', '\ud83d') });
const anyText = fc.oneof(units, emoji, fc.string({ unit: 'binary' }));

describe('codePoints', () => {
  it('counts as Array.from does, whatever the text', () => {
    fc.assert(fc.property(anyText, (text) => codePoints(text) === Array.from(text).length));
  });

  it.each([
    ['', 0],
    ['a', 1],
    ['🙂', 1],
    ['🙂🙂', 2],
    ['\ud83d', 1],
    ['\ude42\ud83d', 2],
    ['\ud83d🙂', 2],
    ['👨‍👩‍👧', 5],
  ])('of %p is %i', (text, count) => expect(codePoints(text)).toBe(count));
});

describe('preview', () => {
  it('is the text itself when it fits, and else as many code points as fit, the last an ellipsis', () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 12 }), (text, limit) => {
        const points = Array.from(text);
        const expected = points.length <= limit ? text : `${points.slice(0, limit - 1).join('')}…`;
        expect(preview(text, limit)).toBe(expected);
      }),
    );
  });

  it('marks a cut also where only emoji stand', () => {
    expect(preview('🙂'.repeat(241), 240)).toBe(`${'🙂'.repeat(239)}…`);
    expect(preview('🙂'.repeat(240), 240)).toBe('🙂'.repeat(240));
  });
});

describe('textFault', () => {
  it('finds a fault exactly in what UTF-8 or PostgreSQL cannot hold', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const survives = Buffer.from(text, 'utf8').toString('utf8') === text && !text.includes('\u0000');
        expect(textFault(text) === undefined).toBe(survives);
      }),
    );
  });

  it.each([
    ['a\u0000', 'contains a NUL character'],
    ['\ud83d', 'contains half of a surrogate pair'],
    ['\ude42', 'contains half of a surrogate pair'],
    ['a\ud83d\ud83d\ude42', 'contains half of a surrogate pair'],
    ['\ud83d\ude42', undefined],
    ['\ufffd', undefined],
  ])('of %p is %p', (text, fault) => expect(textFault(text)).toBe(fault));
});
