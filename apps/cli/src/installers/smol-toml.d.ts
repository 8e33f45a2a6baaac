/** The package's own types describe its ESM build alone; it has a CommonJS build too, which is what runs here. */
declare module 'smol-toml' {
  export function parse(text: string, options?: { integersAsBigInt?: boolean }): Record<string, unknown>;
  export function stringify(document: Record<string, unknown>): string;
  export class TomlError extends Error {
    readonly line: number;
    readonly column: number;
  }
}
