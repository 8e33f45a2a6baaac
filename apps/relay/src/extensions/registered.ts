import type { DiscoveryService } from '@nestjs/core';

/** A provider that registered itself by a decorator, and what the decorator said of it. */
export interface Registered<Options, Instance> {
  name: string;
  options: Options;
  instance: Instance;
}

/**
 * Every provider of the application, of whatever module, whose class carries `mark`, in order of names.
 * @throws Error when two of them have the same name
 */
export function registered<Options extends { name: string }, Instance>(
  discovery: DiscoveryService,
  mark: symbol,
  what: string,
): Registered<Options, Instance>[] {
  const found = new Map<string, Registered<Options, Instance>>();
  for (const { metatype, instance } of discovery.getProviders()) {
    const options = metatype && (Reflect.getMetadata(mark, metatype) as Options | undefined);
    if (!options) continue;
    if (found.has(options.name)) throw new Error(`Two classes register the ${what} ${options.name}.`);
    found.set(options.name, { name: options.name, options, instance: instance as Instance });
  }
  return [...found.values()].sort((one, other) => one.name.localeCompare(other.name));
}
