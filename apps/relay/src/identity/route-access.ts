import { type DiscoveryService, MetadataScanner } from '@nestjs/core';
import { FASTIFY_ROUTE_CONFIG_METADATA } from '@nestjs/platform-fastify/constants';
import type { FastifyRequest } from 'fastify';
import { type Access, accessTo, COUNTS_ADDRESS } from './access.decorator';

interface DeclaredAccess {
  access: Access;
  countsAddress: boolean;
}

const BY_DEFAULT: DeclaredAccess = { access: 'key', countsAddress: false };

/**
 * Writes what each route asks for into its Fastify configuration, where it is known before anything of a request is read. To be
 * called before the routes are registered.
 * @throws Error when two controllers share a handler and ask for different credentials
 */
export function declareAccess(discovery: DiscoveryService): void {
  const scanner = new MetadataScanner();
  const declared = new Map<object, Access>();
  for (const { metatype } of discovery.getControllers()) {
    if (!metatype) continue;
    const prototype = metatype.prototype as Record<string, object>;
    for (const name of scanner.getAllMethodNames(prototype)) {
      const handler = prototype[name];
      if (handler === undefined) continue;
      const access = accessTo(handler, metatype);
      if ((declared.get(handler) ?? access) !== access) {
        throw new Error(
          `Two controllers inherit ${name} and ask for different credentials; override it in one of them.`,
        );
      }
      declared.set(handler, access);
      declareOn(handler, { access, countsAddress: Reflect.getMetadata(COUNTS_ADDRESS, handler) === true });
    }
  }
}

function declareOn(handler: object, access: DeclaredAccess): void {
  const others = Reflect.getMetadata(FASTIFY_ROUTE_CONFIG_METADATA, handler) as object | undefined;
  Reflect.defineMetadata(FASTIFY_ROUTE_CONFIG_METADATA, { ...others, access }, handler);
}

/** What the route of a request asks for. One that no controller declares asks for an API key. */
export function accessOf({ routeOptions }: FastifyRequest): DeclaredAccess {
  const config = routeOptions.config as { access?: DeclaredAccess } | undefined;
  return config?.access ?? BY_DEFAULT;
}
