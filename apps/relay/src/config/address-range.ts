import { isIP } from 'node:net';

/** Names that Fastify's reader of `X-Forwarded-For` knows ranges by. */
const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal'];
const BITS = { 4: 32, 6: 128 } as const;

/** Whether `text` is an IP address, or a range of them as a CIDR prefix or by name. */
export function isAddressRange(text: string): boolean {
  if (NAMED_RANGES.includes(text)) return true;
  const [address = '', prefix, ...more] = text.split('/');
  const family = isIP(address);
  if ((family !== 4 && family !== 6) || more.length > 0) return false;
  return prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= BITS[family]);
}
