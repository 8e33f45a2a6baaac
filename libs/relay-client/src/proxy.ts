import { BlockList, isIP } from 'node:net';
import { isLoopback } from '@agentrelay/protocol';

/** The proxy that requests to an address go through, and the variable that says so. */
export interface Proxy {
  url: string;
  variable: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for requests to `address`, by `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` in either case; undefined for none.
 * Requests to this machine never go through one.
 */
export function proxyFor(address: string, environment: Environment): Proxy | undefined {
  if (!URL.canParse(address) || isLoopback(address)) return undefined;
  const target = new URL(address);
  const name = target.protocol === 'https:' ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const variable = [name.toLowerCase(), name].find((candidate) => environment[candidate]?.trim());
  if (variable === undefined || isExempt(target, environment['no_proxy'] ?? environment['NO_PROXY'] ?? ''))
    return undefined;
  const given = environment[variable]?.trim() ?? '';
  return { url: /^[a-z]+:\/\//i.test(given) ? given : `http://${given}`, variable };
}

/** A proxy's name for people: without the password that its address may hold. */
export function shownProxy({ url, variable }: Proxy): string {
  return `the proxy of ${variable} (${URL.canParse(url) ? new URL(url).host : 'which is no address'})`;
}

function isExempt(target: URL, list: string): boolean {
  const host = target.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  const port = target.port || (target.protocol === 'https:' ? '443' : '80');
  return list.split(/[\s,]+/).some((entry) => entry !== '' && matches(entry.toLowerCase(), host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  if (entry.includes('/')) return isInRange(host, entry);
  // An IPv6 address has colons of its own; with a port it stands in brackets.
  const [, name = '', onPort] = isIP(entry) === 6 ? ['', entry] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
  if (onPort !== undefined && onPort !== port) return false;
  const wanted = name.replace(/^\*?\./, '').replace(/^\[|\]$/g, '');
  return host === wanted || host.endsWith(`.${wanted}`);
}

function isInRange(host: string, range: string): boolean {
  const [base = '', prefix = ''] = range.split('/');
  const family = isIP(base);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(prefix)) return false;
  const addresses = new BlockList();
  const kind = family === 4 ? 'ipv4' : 'ipv6';
  try {
    addresses.addSubnet(base, Number(prefix), kind);
  } catch {
    return false;
  }
  return addresses.check(host, kind);
}
