import type { EventEmitter } from 'node:events';
import { Client, type ClientConfig } from 'pg';

/** The driver's own connection, as far as it is looked into here. */
interface DriverConnection extends EventEmitter {
  readonly stream: DriverStream;
  attachListeners(stream: DriverStream): void;
}

interface DriverStream extends EventEmitter {
  destroy(error: Error): void;
}

type Listener = (chunk: Uint8Array) => void;

/**
 * A client whose connection breaks when an answer cannot be read: of no protocol, or longer than a text can be. The driver reads
 * answers in a listener of its socket, and what is thrown there would end the process. An error of the connection never does.
 */
export class GuardedClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    // Whoever holds the client learns of its end by the next statement. Between the pool and its borrower nobody listens, and an
    // 'error' event without a listener ends the process.
    this.on('error', () => undefined);
    guard((this as unknown as { connection: DriverConnection }).connection);
  }
}

function guard(connection: DriverConnection): void {
  const attach = connection.attachListeners.bind(connection);
  connection.attachListeners = (stream) => {
    const guarded = {
      on: (event: string, listener: Listener) =>
        stream.on(event, event === 'data' ? contained(stream, listener) : listener),
    };
    attach(guarded as unknown as DriverStream);
  };
  // The driver takes these for the database's refusal of the statement, and would go on in the middle of what it cannot read.
  connection.on('errorMessage', ({ message }: { message?: unknown }) => {
    if (typeof message === 'string' && message.startsWith('received invalid response'))
      connection.stream.destroy(unreadable(new Error(message)));
  });
}

function contained(stream: DriverStream, listener: Listener): Listener {
  return (chunk) => {
    try {
      listener(chunk);
    } catch (error) {
      stream.destroy(unreadable(error));
    }
  };
}

function unreadable(cause: unknown): Error {
  return new Error('Connection terminated: an answer of the database cannot be read.', { cause });
}
