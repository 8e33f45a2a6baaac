import { SetMetadata } from '@nestjs/common';

/** What a route asks of a request; without a decorator it asks for an API key. */
export type Access = 'key' | 'administrator' | 'public';

export const ACCESS = Symbol('access');
export const COUNTS_ADDRESS = Symbol('counts its client address');

/** Anyone may call. */
export const Public = () => SetMetadata(ACCESS, 'public' satisfies Access);

/** Only a holder of an admin token may call. */
export const AdministratorOnly = () => SetMetadata(ACCESS, 'administrator' satisfies Access);

/** Each call counts like a failed authentication of its client address, because its body holds a secret that could be guessed. */
export const CountsClientAddress = () => SetMetadata(COUNTS_ADDRESS, true);

/** What a route asks for, by its handler and its controller. */
export function accessTo(handler: object, controller: object): Access {
  const own = Reflect.getMetadata(ACCESS, handler) as Access | undefined;
  return own ?? (Reflect.getMetadata(ACCESS, controller) as Access | undefined) ?? 'key';
}
