/** Names and addresses of this machine: what is sent to them is on no network. */
const LOOPBACK = /^(localhost|[^.]+\.localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Why `text` is no relay's address, or undefined. The text is not repeated: it may hold a password. */
export function relayUrlFault(text: string): string | undefined {
  if (/\s/.test(text)) return 'has white space inside';
  if (/^\w+:\d+(\/|$)/.test(text) || !/^[a-z][a-z+.-]*:/i.test(text))
    return 'lacks http:// or https:// in front, like https://relay.acme.dev';
  if (!URL.canParse(text)) return 'is no address like https://relay.acme.dev';
  const url = new URL(text);
  if (!/^https?:$/.test(url.protocol)) return 'must begin with http:// or https://';
  if (hasUserInfo(text)) return 'has a user name or password in it; take that out';
  if (url.search !== '' || url.hash !== '') return 'has a ? or # in it; only the address of the relay is wanted';
  return undefined;
}

/** Whether an address holds a user name or password, or an empty place for them. */
export function hasUserInfo(text: string): boolean {
  return /^[a-z][a-z+.-]*:[/\\]*[^/\\?#]*@/i.test(text.trim());
}

/** Whether what is sent to the address stays on this machine. */
export function isLoopback(address: string): boolean {
  return URL.canParse(address) && LOOPBACK.test(new URL(address).hostname);
}

/**
 * Why what is sent to this address can be read on the way, as a warning of one line, or undefined when it cannot: plain
 * http to another machine carries the key and every handoff in the clear.
 */
export function plainHttpWarning(address: string): string | undefined {
  if (!URL.canParse(address) || new URL(address).protocol !== 'http:' || isLoopback(address)) return undefined;
  return `${new URL(address).origin} is plain http: your key and every handoff can be read and changed on the way. Use https.`;
}

/** What an Authorization header takes (RFC 6750): anything else was cut, wrapped or typed over. */
const KEY = /^[A-Za-z0-9._~+/-]+=*$/;

/** Why `key` cannot be a key, or undefined. The key is not repeated, apart from the character that is wrong. */
export function keyFault(key: string): string | undefined {
  if (key.includes('...')) return 'has “...” in it: it was cut when it was copied';
  if (KEY.test(key)) return undefined;
  const at = Array.from(key).findIndex((character) => !/[A-Za-z0-9._~+/=-]/.test(character));
  const wrong = Array.from(key)[at];
  if (wrong === undefined) return 'is no key; copy the whole of it';
  if (wrong === '…') return 'has “…” in it: it was cut when it was copied';
  const code = (wrong.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return `has a character that no key has (U+${code}, the ${at + 1}th); copy it again`;
}
