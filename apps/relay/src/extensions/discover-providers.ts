import { Injectable, type Type } from '@nestjs/common';
import type { DiscoveryService } from '@nestjs/core';

/** A provider that registered itself by a decorator, and what the decorator said of it. */
export interface DiscoveredProvider<Options, Instance> {
  name: string;
  options: Options;
  instance: Instance;
}

/** The decorator of a class that `discoverProviders` shall find by `mark`: it says `options` of it, and makes it a provider. */
export function register<Instance>(mark: symbol, options: { name: string }) {
  return (provider: Type<Instance>): void => {
    Reflect.defineMetadata(mark, options, provider);
    Injectable()(provider);
  };
}

/**
 * Every provider of the application, of whatever module, whose class carries `mark`, in order of names.
 * @throws Error when two of them have the same name
 */
export function discoverProviders<Options extends { name: string }, Instance>(
  discovery: DiscoveryService,
  mark: symbol,
  what: string,
): DiscoveredProvider<Options, Instance>[] {
  const found = new Map<string, DiscoveredProvider<Options, Instance>>();
  for (const { metatype, instance } of discovery.getProviders()) {
    const options = metatype && (Reflect.getMetadata(mark, metatype) as Options | undefined);
    if (!options) continue;
    if (found.has(options.name)) throw new Error(`Two classes register the ${what} ${options.name}.`);
    found.set(options.name, { name: options.name, options, instance: instance as Instance });
  }
  return [...found.values()].sort((one, other) => one.name.localeCompare(other.name));
}
