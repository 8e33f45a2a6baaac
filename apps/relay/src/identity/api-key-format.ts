import { randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PUBLIC_ID_LENGTH = 12;
/** 32 characters of 62 are 190 random bits. */
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;

const SHAPE = new RegExp(
  `^(ar_live_|ar_test_)([0-9A-Za-z]{${PUBLIC_ID_LENGTH}})([0-9A-Za-z]{${SECRET_LENGTH}})([0-9A-Za-z]{${CHECKSUM_LENGTH}})$`,
);

export interface NewApiKey {
  /** The whole credential, shown once. */
  text: string;
  /** The part by which the row is found; no secret. */
  publicId: string;
}

/** Makes a fresh credential: prefix, public id, secret and a checksum over all of them (domain.md 1). */
export function newApiKey(prefix: 'ar_live_' | 'ar_test_'): NewApiKey {
  const publicId = randomText(PUBLIC_ID_LENGTH);
  const body = `${prefix}${publicId}${randomText(SECRET_LENGTH)}`;
  return { text: `${body}${checksum(body)}`, publicId };
}

/** Whether somebody meant this as a key of a relay, well-formed or not. */
export function looksLikeApiKey(text: string): boolean {
  return /^ar_(live|test)_/.test(text);
}

/** The public id of a well-formed key, or undefined for a typo, told apart without a query. */
export function publicIdOf(text: string): string | undefined {
  const parts = SHAPE.exec(text);
  if (parts === null) return undefined;
  return checksum(text.slice(0, -CHECKSUM_LENGTH)) === parts[4] ? parts[2] : undefined;
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i++) {
    text = `${ALPHABET[rest % ALPHABET.length]}${text}`;
    rest = Math.floor(rest / ALPHABET.length);
  }
  return text;
}
