import { createRequire } from 'node:module';
import { isAbsolute, join, resolve } from 'node:path';
import type { DynamicModule, Type } from '@nestjs/common';
import { shareOwnPackages } from './own-packages';

export type Extension = Type | DynamicModule;

/** A module named in `RELAY_EXTENSIONS` cannot be used; the message says which and why. */
export class ExtensionError extends Error {
  constructor(name: string, reason: string, options?: ErrorOptions) {
    super(`The relay cannot start with the extension ${name} of RELAY_EXTENSIONS: ${reason}`, options);
    this.name = 'ExtensionError';
  }
}

/**
 * Loads the modules of `RELAY_EXTENSIONS`. Each is a package name, looked for from the working directory and then from the
 * relay's own, or a path relative to the working directory; its default export, or its only export, is a Nest module.
 * @throws ExtensionError
 */
export function loadExtensions(names: readonly string[]): Extension[] {
  if (names.length > 0) shareOwnPackages();
  return names.map((name) => moduleOf(name, load(name)));
}

/** Packages of either kind, CommonJS or ESM, can be required on every Node.js that the relay runs on. */
function load(name: string): Record<string, unknown> {
  const file = locate(name);
  try {
    return createRequire(file)(file) as Record<string, unknown>;
  } catch (error) {
    throw new ExtensionError(name, error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function locate(name: string): string {
  const isPath = name.startsWith('.') || isAbsolute(name);
  for (const from of [join(process.cwd(), 'package.json'), __filename]) {
    try {
      return createRequire(from).resolve(isPath ? resolve(name) : name);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND') {
        throw new ExtensionError(name, (error as Error).message, { cause: error });
      }
    }
  }
  throw new ExtensionError(
    name,
    isPath
      ? `there is nothing to load at ${resolve(name)}.`
      : 'no package of that name is installed beside the relay; for a file, begin with "./" or "/".',
  );
}

function moduleOf(name: string, exported: Record<string, unknown>): Extension {
  if (isNestModule(exported['default'])) return exported['default'];
  const [module, ...others] = Object.values(exported).filter(isNestModule);
  if (module === undefined) throw new ExtensionError(name, 'it exports no Nest module (a class with @Module).');
  if (others.length === 0) return module;
  throw new ExtensionError(name, 'it exports several Nest modules; make one of them the default export.');
}

function isNestModule(value: unknown): value is Extension {
  if (typeof value === 'function') {
    return ['imports', 'providers', 'controllers', 'exports'].some((key) => Reflect.hasMetadata(key, value));
  }
  return typeof value === 'object' && value !== null && typeof (value as DynamicModule).module === 'function';
}
