import fc from 'fast-check';
import { newApiKey, publicIdOf } from './api-key-format';

const ALPHABET = Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz');

describe('an API key', () => {
  it.each(['ar_live_', 'ar_test_'] as const)('with %s carries its public id and passes its own check', (prefix) => {
    const { text, publicId } = newApiKey(prefix);
    expect(text).toMatch(new RegExp(`^${prefix}${publicId}[0-9A-Za-z]{38}$`));
    expect(publicIdOf(text)).toBe(publicId);
  });

  it('is told from every typo of one character, wherever it is', () => {
    const { text } = newApiKey('ar_live_');
    for (let at = 0; at < text.length; at++) {
      for (const other of ALPHABET.filter((character) => character !== text[at])) {
        expect(publicIdOf(`${text.slice(0, at)}${other}${text.slice(at + 1)}`)).toBeUndefined();
      }
    }
  });

  it('is told from a key with two neighbours swapped, a character lost or added', () => {
    const { text } = newApiKey('ar_test_');
    for (let at = 0; at < text.length; at++) {
      const [a = '', b = ''] = text.slice(at);
      const swapped = `${text.slice(0, at)}${b}${a}${text.slice(at + 2)}`;
      if (swapped !== text) expect(publicIdOf(swapped)).toBeUndefined();
      expect(publicIdOf(`${text.slice(0, at)}${text.slice(at + 1)}`)).toBeUndefined();
      expect(publicIdOf(`${text.slice(0, at)}0${text.slice(at)}`)).toBeUndefined();
    }
  });

  it('is not found in any other text', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => publicIdOf(text) === undefined));
    expect(publicIdOf(`${newApiKey('ar_live_').text}\n`)).toBeUndefined();
    expect(publicIdOf(` ${newApiKey('ar_live_').text}`)).toBeUndefined();
  });

  it('is another one each time, in both of its parts', () => {
    const keys = Array.from({ length: 500 }, () => newApiKey('ar_live_'));
    expect(new Set(keys.map(({ publicId }) => publicId)).size).toBe(500);
    expect(new Set(keys.map(({ text }) => text.slice(20, 52))).size).toBe(500);
  });
});
