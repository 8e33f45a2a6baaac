import { HANDLE_PATTERN } from '@agentrelay/protocol';
import { InvalidArgumentError } from 'commander';
import { type ClientName, CLIENT_NAMES } from './installers/client';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const WHOLE_UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;
const MAX_INVITE_SECONDS = 30 * SECONDS.d;

export function parseHandle(text: string): string {
  if (!HANDLE_PATTERN.test(text)) throw new InvalidArgumentError('A handle looks like frank@acme.');
  return text.toLowerCase();
}

/** A thread's id, alone or at the end of a link. */
export function parseThreadId(text: string): string {
  const [id] = UUID.exec(text.replace(/\/+$/, '')) ?? [];
  if (id === undefined)
    throw new InvalidArgumentError('Give the id that agentrelay inbox shows, or the link to the thread.');
  return id.toLowerCase();
}

export function parseRelayUrl(text: string): string {
  const url = parsedUrl(text);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('A relay has an address like https://relay.acme.dev.');
  }
  return text.trim();
}

/** `URL.parse` is younger than the oldest Node that this runs on. */
export function parsedUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Names of clients, collected; `all` stands for every one. */
export function parseClient(text: string, before: ClientName[] = []): ClientName[] {
  const names = CLIENT_NAMES.filter((name) => isClient(text) && (text === 'all' || name === text));
  if (names.length === 0) throw new InvalidArgumentError(`Give one of ${CLIENT_NAMES.join(', ')}, or all.`);
  return [...new Set([...before, ...names])];
}

/** Whether a word is the name of a client, or stands for all of them. */
export function isClient(word: string): boolean {
  return word === 'all' || CLIENT_NAMES.some((name) => name === word);
}

export function parseLimit(most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= 1 && number <= most) return number;
    throw new InvalidArgumentError(`Give a whole number from 1 to ${most}.`);
  };
}

/** The life of an invite in seconds. */
export function parseDuration(text: string): number {
  const seconds = secondsOf(text);
  if (seconds !== undefined && seconds >= 1 && seconds <= MAX_INVITE_SECONDS) return seconds;
  throw new InvalidArgumentError('Give a duration like 12h or 7d, at most 30d.');
}

const MAX_OVERLAP_SECONDS = 24 * SECONDS.h;

/** How long an old key works on, in seconds. */
export function parseOverlap(text: string): number {
  const seconds = text === '0' ? 0 : secondsOf(text);
  if (seconds !== undefined && seconds <= MAX_OVERLAP_SECONDS) return seconds;
  throw new InvalidArgumentError('Give 0, or a duration like 60s or 1h, at most 24h.');
}

/** The whole id of a key. */
export function parseKeyId(text: string): string {
  if (!WHOLE_UUID.test(text)) throw new InvalidArgumentError('Give the id that agentrelay keys shows.');
  return text.toLowerCase();
}

/** How long to wait, in seconds. */
export function parseTimeout(text: string): number {
  const seconds = secondsOf(text);
  if (seconds !== undefined && seconds >= 1 && seconds <= SECONDS.d) return seconds;
  throw new InvalidArgumentError('Give a duration like 30s or 2h, at most 1d.');
}

/** A moment in ISO 8601, given as such or as how long ago it was. */
export function parseTime(text: string): string {
  const seconds = secondsOf(text);
  const time = seconds === undefined ? new Date(text) : new Date(Date.now() - seconds * 1_000);
  if (Number.isNaN(time.getTime())) throw new InvalidArgumentError('Give a time like 2026-05-01T09:00:00Z, or 24h.');
  return time.toISOString();
}

function secondsOf(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  return count === undefined ? undefined : Number(count) * SECONDS[unit as keyof typeof SECONDS];
}
