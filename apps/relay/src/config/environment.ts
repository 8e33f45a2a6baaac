import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { limitsOf } from './limit-settings';
import { secretFaults } from './secret-faults';
import { isSecret, SETTING_NAMES, SETTINGS_SCHEMA, type SettingName, type Settings } from './settings';

export type Environment = Readonly<Record<string, string | undefined>>;

/** The settings cannot be used; `faults` names each variable that is wrong and what it must be. */
export class InvalidSettingsError extends Error {
  constructor(readonly faults: string[]) {
    super(`The relay cannot start with these settings:\n${faults.map((fault) => `  - ${fault}`).join('\n')}`);
    this.name = 'InvalidSettingsError';
  }
}

/**
 * Reads and checks the environment once. White space around a value is left out, an empty variable counts as unset; `NAME_FILE` stands for the
 * content of a file, for secrets.
 * @throws InvalidSettingsError with all faults at once
 */
export function readSettings(environment: Environment): Settings {
  const faults: string[] = [];
  const given: Record<string, string> = {};
  for (const name of SETTING_NAMES) {
    const value = rawValue(name, environment, faults);
    // A shell, a file or an editor leaves white space around values that nobody means.
    const trimmed = value?.trim();
    if (trimmed) given[name] = trimmed;
  }
  const parsed = SETTINGS_SCHEMA.safeParse(given);
  if (!parsed.success) faults.push(...parsed.error.issues.map((issue) => describe(issue, given)));
  else faults.push(...limitFaults(parsed.data), ...productionFaults(parsed.data));
  if (faults.length > 0 || !parsed.success) throw new InvalidSettingsError(faults);
  return parsed.data;
}

/** Names that settings had before, still read in this version; new name → old name. */
const FORMER_NAMES: Readonly<Record<string, string>> = {
  RELAY_LIMIT_WAITERS_PER_AGENT: 'RELAY_LIMIT_WAITERS_PER_KEY',
};

/** A sentence for each setting that was given under a name which the next version will not read. */
export function formerNamesGiven(environment: Environment): string[] {
  return Object.entries(FORMER_NAMES)
    .filter(([, former]) => isGiven(environment[former]))
    .map(([name, former]) => `${former} is now called ${name}; the next version will not read the old name.`);
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

function rawValue(name: SettingName, environment: Environment, faults: string[]): string | undefined {
  const path = environment[`${name}_FILE`];
  if (!isSecret(name) || path === undefined || path === '') {
    return isGiven(environment[name]) ? environment[name] : environment[FORMER_NAMES[name] ?? ''];
  }
  if (environment[name] !== undefined && environment[name] !== '') {
    faults.push(`${name} and ${name}_FILE are both set; keep one`);
    return undefined;
  }
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    faults.push(
      `${name}_FILE names a file that cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`,
    );
    return undefined;
  }
}

function describe(issue: z.core.$ZodIssue, given: Record<string, string>): string {
  const name = String(issue.path[0]);
  return name in given ? `${name}: ${issue.message}` : `${name} is required`;
}

/** Limits that only hold together: whatever one request brings has to fit into an answer, beside what stands there already. */
function limitFaults(settings: Settings): string[] {
  const { bodyBytes = 0, answerBytes = 0, answersInFlightBytes = 0 } = limitsOf(settings);
  const faults: string[] = [];
  if (answerBytes < 2 * bodyBytes) {
    faults.push(
      `RELAY_LIMIT_ANSWER_BYTES is ${answerBytes} and must be at least twice RELAY_LIMIT_BODY_BYTES, which is ${bodyBytes}: an answer has to hold what one request brought`,
    );
  }
  if (answersInFlightBytes < 2 * answerBytes) {
    faults.push(
      `RELAY_LIMIT_ANSWERS_IN_FLIGHT_BYTES is ${answersInFlightBytes} and must be at least twice RELAY_LIMIT_ANSWER_BYTES, which is ${answerBytes}: half of it has to hold one answer`,
    );
  }
  return faults;
}

/** What only production refuses: secrets that are no secrets, keys in the clear, and a relay nobody can administer. */
function productionFaults(settings: Settings): string[] {
  if (settings.RELAY_ENV !== 'production') return [];
  const faults = secretFaults(settings);
  if (settings.RELAY_ADMIN_TOKEN === undefined && settings.RELAY_ADMIN_TOKENS === undefined) {
    faults.push('RELAY_ADMIN_TOKEN is required (or RELAY_ADMIN_TOKENS): without it no agent can be registered');
  }
  if (settings.RELAY_PUBLIC_URL === undefined) {
    faults.push('RELAY_PUBLIC_URL is required: it is the base of every link in answers and notifications');
  } else if (!settings.RELAY_ALLOW_HTTP && isReadableOnTheWay(settings.RELAY_PUBLIC_URL)) {
    faults.push(
      'RELAY_PUBLIC_URL begins with http://, so that keys and handoffs can be read on the way; use https://, or set RELAY_ALLOW_HTTP=true where the network is encrypted otherwise',
    );
  }
  return faults;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function isReadableOnTheWay(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !LOOPBACK.test(hostname);
}
