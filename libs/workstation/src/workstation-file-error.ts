/** A file of this workstation that cannot be used as it is; the message says why and what to do. It is never overwritten. */
export class WorkstationFileError extends Error {
  constructor(
    readonly path: string,
    reason: string,
    /** Where in the file, counted from 1, when the fault has a place. */
    readonly line?: number,
    readonly column?: number,
    options?: ErrorOptions,
  ) {
    const place = line === undefined ? '' : `, line ${line}${column === undefined ? '' : `, column ${column}`}`;
    super(`${path}${place}: ${reason}`, options);
    this.name = 'WorkstationFileError';
  }
}
