/** A client's file that is left alone; the message says why and what to do. */
export class UnreadableClientFile extends Error {
  constructor(
    readonly path: string,
    reason: string,
    readonly line?: number,
    readonly column?: number,
  ) {
    const place = line === undefined ? '' : `, line ${line}, column ${column ?? 1}`;
    super(`${path}${place}: ${reason}`);
    this.name = 'UnreadableClientFile';
  }
}
