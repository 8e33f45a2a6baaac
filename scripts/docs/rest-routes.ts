import { RequestMethod, type Type } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants';
import type { INestApplication } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { type DescribedMember, describeDto, DtoPipe } from '../../apps/relay/src/http';
import { type Access, accessTo } from '../../apps/relay/src/identity';

export interface RestRoute {
  method: string;
  path: string;
  access: Access;
  /** Members of its body or query, in words. */
  members: DescribedMember[];
}

/** Every route of the application, as its controllers declare it. */
export function restRoutes(app: INestApplication): RestRoute[] {
  const controllers = app.get(DiscoveryService, { strict: false }).getControllers();
  return controllers
    .flatMap(({ metatype }) => (metatype ? routesOf(metatype as Type<object>) : []))
    .sort((one, other) => one.path.localeCompare(other.path) || one.method.localeCompare(other.method));
}

function routesOf(controller: Type<object>): RestRoute[] {
  const base = Reflect.getMetadata(PATH_METADATA, controller) as string;
  const prototype = controller.prototype as Record<string, unknown>;
  return Object.getOwnPropertyNames(prototype).flatMap((name) => {
    const handler = prototype[name];
    if (typeof handler !== 'function') return [];
    const method = Reflect.getMetadata(METHOD_METADATA, handler) as RequestMethod | undefined;
    if (method === undefined) return [];
    const own = Reflect.getMetadata(PATH_METADATA, handler) as string;
    const path = `/${[base, own]
      .map((part) => part.replace(/^\/+|\/+$/g, ''))
      .filter(Boolean)
      .join('/')}`;
    return [
      {
        method: RequestMethod[method],
        path,
        access: accessTo(handler, controller),
        members: membersOf(controller, name),
      },
    ];
  });
}

function membersOf(controller: Type<object>, handler: string): DescribedMember[] {
  const args = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, handler) ?? {}) as Record<
    string,
    { pipes?: unknown[] }
  >;
  return Object.values(args)
    .flatMap(({ pipes = [] }) => pipes)
    .filter((pipe) => pipe instanceof DtoPipe)
    .flatMap(({ type }) => describeDto(type as Type<object>));
}
