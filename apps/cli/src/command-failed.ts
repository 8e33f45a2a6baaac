/** A command that could not do its work: what was wrong, and what to do next. */
export class CommandFailed extends Error {
  constructor(
    message: string,
    readonly next: string,
    readonly symbol?: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'CommandFailed';
  }
}
