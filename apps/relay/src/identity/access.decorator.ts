import { SetMetadata } from '@nestjs/common';

/** What a route asks of a request; without a decorator it asks for an API key. */
export type Access = 'key' | 'administrator' | 'public';

export const ACCESS = Symbol('access');

/** Anyone may call. */
export const Public = () => SetMetadata(ACCESS, 'public' satisfies Access);

/** Only a holder of an admin token may call. */
export const AdministratorOnly = () => SetMetadata(ACCESS, 'administrator' satisfies Access);

/** What a route asks for, by its handler and its controller. */
export function accessTo(handler: object, controller: object): Access {
  const own = Reflect.getMetadata(ACCESS, handler) as Access | undefined;
  return own ?? (Reflect.getMetadata(ACCESS, controller) as Access | undefined) ?? 'key';
}
