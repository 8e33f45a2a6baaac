import { rmSync } from 'node:fs';

export default async function globalTeardown(): Promise<void> {
  const { server, directory } = globalThis.testCluster;
  await server?.stop();
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}
