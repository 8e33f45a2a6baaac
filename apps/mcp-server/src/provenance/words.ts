/** A word of the relay's as this version knows it; one that it does not know is no part of our sentences. */
export function knownWord(word: string, known: readonly string[]): string {
  return known.includes(word) ? word : 'unknown';
}
