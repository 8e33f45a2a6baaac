/** Where reading a thread goes on: in a message, in one of its sections, after so many characters of what is shown of it. */
export interface ThreadPlace {
  message: number;
  section: number;
  offset: number;
}

export const START: ThreadPlace = { message: 1, section: 0, offset: 0 };

/** A place to read on from that was not given out for this. */
export class NoSuchPlace extends Error {
  constructor(parameter = 'from', origin = 'next_from of the part before') {
    super(`${parameter} is no place to read on from here. Use ${origin}, or leave it out to begin at the start.`);
    this.name = 'NoSuchPlace';
  }
}

const SHAPE = /^m([1-9]\d{0,6})\.(\d{1,5})\.(\d{1,9})$/;

export function writePlace({ message, section, offset }: ThreadPlace): string {
  return `m${message}.${section}.${offset}`;
}

/** @throws NoSuchPlace */
export function readPlace(text: string | undefined): ThreadPlace {
  if (text === undefined) return START;
  const [, message, section, offset] = SHAPE.exec(text) ?? [];
  if (message === undefined) throw new NoSuchPlace();
  return { message: Number(message), section: Number(section), offset: Number(offset) };
}
