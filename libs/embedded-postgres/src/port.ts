import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Home, writeHomeFile } from './storage';

const PORT_FILE = 'port';

/** The port of the last start where it is free, otherwise any free one of 127.0.0.1. It may be taken a moment later. */
export async function pickPort(home: Home): Promise<number> {
  const last = Number(await readFile(join(home.path, PORT_FILE), 'utf8').catch(() => ''));
  const kept = last > 0 ? await tryListen(last) : undefined;
  return kept ?? (await tryListen(0)) ?? 0;
}

/** Remembers the port for the next start. */
export async function keepPort(home: Home, port: number): Promise<void> {
  await writeHomeFile(home, PORT_FILE, String(port));
}

function tryListen(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1' }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' ? address?.port : undefined));
    });
  });
}
