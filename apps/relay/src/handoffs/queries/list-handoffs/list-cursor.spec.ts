import fc from 'fast-check';
import { decodeCursor, encodeCursor } from './list-cursor';

describe('a list cursor', () => {
  it('comes back as the position it was made of', () => {
    const position = fc.record({
      updatedAt: fc.date({ min: new Date(0), max: new Date(999_999_999_999_999), noInvalidDate: true }),
      id: fc.uuid(),
    });
    fc.assert(fc.property(position, (given) => expect(decodeCursor(encodeCursor(given))).toEqual(given)));
  });

  it('is fit for an address', () => {
    expect(encodeCursor({ updatedAt: new Date(1), id: '0198f7c0-0000-7000-8000-000000000000' })).toMatch(/^[\w-]+$/);
  });

  it('of another kind is refused, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(() => decodeCursor(Buffer.from(text).toString('base64url'))).toThrow(/page\.cursor is not one/);
      }),
    );
  });
});
