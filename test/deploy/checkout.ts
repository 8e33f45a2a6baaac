import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export const CHECKOUT = join(__dirname, '../..');

/** A file of the checkout, by its path below the root. */
export function textOf(path: string): string {
  return readFileSync(join(CHECKOUT, path), 'utf8');
}

/**
 * A YAML file of the checkout.
 * @throws Error when it reads differently by YAML 1.1, which kubectl and compose follow (`off`, `0440`)
 */
export function yamlOf(path: string): unknown {
  const text = textOf(path);
  const value: unknown = parse(text);
  if (JSON.stringify(value) !== JSON.stringify(parse(text, { version: '1.1' })))
    throw new Error(`${path} means one thing in YAML 1.1 and another in YAML 1.2.`);
  return value;
}

/** `NAME=value` lines; comments and empty lines are skipped. */
export function environmentFile(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => !/^\s*(#|$)/.test(line));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}
