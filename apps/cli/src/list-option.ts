import { type Command, Option } from 'commander';

/**
 * An option that takes several values, or one that may be left out, and leaves the arguments behind them alone: a word
 * counts only when it can be one. Commander's own options of that kind take every word that follows. The first value
 * of a list is always taken, so that a wrong one is told.
 */
export class ListOption extends Option {
  constructor(
    flags: string,
    description: string,
    readonly takes: (word: string) => boolean,
    /** What the option means alone; without it, it needs a value. */
    readonly alone?: string,
  ) {
    super(flags, description);
  }
}

/** `words` with each value of a list option in the form `--option=value`, so that no word behind it is swallowed. */
export function withListsSpread(program: Command, words: readonly string[]): string[] {
  const lists = listOptions(program);
  const spread: string[] = [];
  let list: OpenList | undefined;
  for (const [index, word] of words.entries()) {
    if (word === '--') return [...spread, ...withoutValue(list), ...words.slice(index)];
    const option = lists.get(word);
    if (option !== undefined) {
      spread.push(...withoutValue(list));
      list = { flag: word, option, isFirst: true };
    } else if (list !== undefined && !word.startsWith('-') && belongsTo(list, word)) {
      spread.push(`${list.flag}=${word}`);
      list = list.option.alone === undefined ? { ...list, isFirst: false } : undefined;
    } else {
      spread.push(...withoutValue(list), word);
      list = undefined;
    }
  }
  return [...spread, ...withoutValue(list)];
}

interface OpenList {
  flag: string;
  option: ListOption;
  isFirst: boolean;
}

function belongsTo({ option, isFirst }: OpenList, word: string): boolean {
  return (isFirst && option.alone === undefined) || option.takes(word);
}

/** An option that needs a value and was given none is for commander to complain of. */
function withoutValue(list: OpenList | undefined): string[] {
  if (list?.isFirst !== true) return [];
  return [list.option.alone === undefined ? list.flag : `${list.flag}=${list.option.alone}`];
}

function listOptions(command: Command): Map<string, ListOption> {
  const own = command.options.filter((option): option is ListOption => option instanceof ListOption);
  const found = own.map((option): [string, ListOption] => [option.long ?? option.flags, option]);
  return new Map([...found, ...command.commands.flatMap((sub) => [...listOptions(sub)])]);
}
