import { rmSync } from 'node:fs';

export default async function globalTeardown(): Promise<void> {
  const { server, directory } = globalThis.testCluster;
  await server?.stop();
  rmSync(directory, { recursive: true, force: true });
}
