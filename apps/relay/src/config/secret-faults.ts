import type { SettingName, Settings } from './settings';

interface GivenSecret {
  setting: SettingName;
  /** The administrator, the id of the pepper, or the database. */
  name: string;
  secret: string;
}

const EXAMPLE = /change-?me|example|placeholder|^(.)\1+$/i;
const ONE_KIND = /^([a-z]+|[A-Z]+|\d+|[^a-zA-Z\d]+)$/;
const LEAST_DIFFERENT_CHARACTERS = 8;
const PIECE = 4;
const LEAST_DIFFERENT_PIECES = 0.75;
/** Of the pairs of neighbours, those that follow one another in the alphabet or in counting, either way. */
const MOST_IN_SEQUENCE = 0.5;

/** Why the secrets of these settings are none that production may start with. Tells none of them. */
export function secretFaults(settings: Settings): string[] {
  const admin = settings.RELAY_ADMIN_TOKEN;
  const administrators: GivenSecret[] = [
    ...(admin === undefined ? [] : [{ setting: 'RELAY_ADMIN_TOKEN' as const, name: 'admin', secret: admin }]),
    ...(settings.RELAY_ADMIN_TOKENS ?? []).map((one) => ({ setting: 'RELAY_ADMIN_TOKENS' as const, ...one })),
  ];
  const peppers = settings.RELAY_KEY_PEPPERS.map((one) => ({ setting: 'RELAY_KEY_PEPPERS' as const, ...one }));
  return [
    ...weakFaults([...administrators, ...peppers]),
    ...sameSecretFaults([...administrators, ...peppers, ...databasePasswords(settings)]),
    ...sameNameFaults(administrators, 'two administrators', 'what they do could not be told apart'),
    ...sameNameFaults(peppers, 'two peppers', 'only the first would be used'),
  ];
}

/** Whoever runs the database knows it, and so must not be an administrator by that. */
function databasePasswords({ DATABASE_URL, DATABASE_DIRECT_URL }: Settings): GivenSecret[] {
  const given = { setting: 'DATABASE_URL' as const, name: 'database' };
  // Two addresses of one database have one password.
  const passwords = new Set([DATABASE_URL, DATABASE_DIRECT_URL].map((url) => passwordOf(url)));
  return [...passwords].filter((secret) => secret !== '').map((secret) => ({ ...given, secret }));
}

function passwordOf(url: string | undefined): string {
  if (url === undefined || !URL.canParse(url)) return '';
  // Where a `%` stands by itself it stands for itself.
  return new URL(url).password.replace(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
}

function weakFaults(given: readonly GivenSecret[]): string[] {
  const faults = given.flatMap(({ setting, secret }) => {
    if (EXAMPLE.test(secret)) return [`${setting} holds an example; make a secret of your own`];
    return isGuessable(secret)
      ? [
          `${setting} holds a secret that can be guessed (one kind of characters, a sequence, or repeated words); make a random one`,
        ]
      : [];
  });
  return [...new Set(faults)];
}

/** Nothing that was made at random: one kind of characters, few different ones, a sequence, or pieces that come again and again. */
function isGuessable(secret: string): boolean {
  if (ONE_KIND.test(secret) || new Set(secret).size < LEAST_DIFFERENT_CHARACTERS) return true;
  if (shareInSequence(secret.toLowerCase()) > MOST_IN_SEQUENCE) return true;
  const count = secret.length - PIECE + 1;
  const pieces = Array.from({ length: count }, (_, at) => secret.slice(at, at + PIECE).toLowerCase());
  return new Set(pieces).size < count * LEAST_DIFFERENT_PIECES;
}

function shareInSequence(text: string): number {
  const steps = Array.from({ length: text.length - 1 }, (_, at) => text.charCodeAt(at + 1) - text.charCodeAt(at));
  return steps.filter((step) => Math.abs(step) === 1).length / steps.length;
}

function sameSecretFaults(given: readonly GivenSecret[]): string[] {
  return pairs(given)
    .filter(([one, other]) => one.secret === other.secret)
    .map(([one, other]) =>
      one.setting === other.setting
        ? `${one.setting} holds one secret twice; make one for each`
        : `${one.setting} and ${other.setting} hold the same secret; make one for each`,
    );
}

function sameNameFaults(given: readonly GivenSecret[], what: string, consequence: string): string[] {
  return pairs(given)
    .filter(([one, other]) => one.name.toLowerCase() === other.name.toLowerCase())
    .map(([, other]) => `${other.setting} gives ${what} the name ${other.name}: ${consequence}`);
}

function pairs<Entry>(entries: readonly Entry[]): [Entry, Entry][] {
  return entries.flatMap((one, index) => entries.slice(index + 1).map((other): [Entry, Entry] => [one, other]));
}
