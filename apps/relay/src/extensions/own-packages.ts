import Module from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** The checkout or image that this file is built in: `<root>/dist/apps/relay/src/extensions`. */
const ROOT = join(__dirname, '../../../../..');

/**
 * Lets an extension that lies anywhere `require` what the relay itself runs on: `@agentrelay/extension`, Nest and the rest,
 * one copy of each, so that its decorators and classes are the relay's. It is Node's own NODE_PATH, read again.
 */
export function shareOwnPackages(): void {
  const paths = [
    process.env['NODE_PATH'],
    join(ROOT, 'packages'),
    dirname(dirname(dirname(require.resolve('@nestjs/common')))),
  ];
  process.env['NODE_PATH'] = paths.filter((path) => path !== undefined && path !== '').join(delimiter);
  (Module as unknown as { _initPaths(): void })._initPaths();
}
