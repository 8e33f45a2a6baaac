import { Writable } from 'node:stream';

/**
 * Takes stdout for the protocol: returns a stream that alone still reaches it, and sends whatever else is printed,
 * by us or by a dependency, to stderr.
 */
export function claimStdout(): Writable {
  const write = process.stdout.write.bind(process.stdout);
  const toStderr: typeof process.stdout.write = process.stderr.write.bind(process.stderr);
  process.stdout.write = toStderr;
  return new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => {
      write(chunk, (error) => done(error ?? undefined));
    },
  });
}
