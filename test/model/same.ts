/** Deep equality that explains itself. @throws an error with the difference */
export function same(actual: unknown, expected: unknown): void {
  expect(actual).toEqual(expected);
}
