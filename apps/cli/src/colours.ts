type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

export type Paint = (colour: Colour, text: string) => string;

const CODES: Record<Colour, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
};

/** Colours where a terminal reads, and NO_COLOR does not forbid them. */
export function colours(isTerminal: boolean): Paint {
  if (!isTerminal || process.env['NO_COLOR']) return (_colour, text) => text;
  return (colour, text) => `\u001b[${CODES[colour][0]}m${text}\u001b[${CODES[colour][1]}m`;
}
