import { type Command, Option } from 'commander';

/**
 * An option that takes several values, and leaves the arguments behind them alone: a value after the first counts only
 * when it can be one. Commander's own options of that kind take every word that follows.
 */
export class ListOption extends Option {
  constructor(
    flags: string,
    description: string,
    readonly takes: (word: string) => boolean,
  ) {
    super(flags, description);
  }
}

/** `words` with each value of a list option in the form `--option=value`, so that no word behind it is swallowed. */
export function withListsSpread(program: Command, words: readonly string[]): string[] {
  const lists = listOptions(program);
  const spread: string[] = [];
  let list: { flag: string; option: ListOption; isFirst: boolean } | undefined;
  for (const [index, word] of words.entries()) {
    if (word === '--') return [...spread, ...withoutValue(list), ...words.slice(index)];
    const option = lists.get(word);
    if (option !== undefined) {
      spread.push(...withoutValue(list));
      list = { flag: word, option, isFirst: true };
    } else if (list !== undefined && !word.startsWith('-') && (list.isFirst || list.option.takes(word))) {
      spread.push(`${list.flag}=${word}`);
      list.isFirst = false;
    } else {
      spread.push(...withoutValue(list), word);
      list = undefined;
    }
  }
  return [...spread, ...withoutValue(list)];
}

/** An option that was given no value is for commander to complain of. */
function withoutValue(list: { flag: string; isFirst: boolean } | undefined): string[] {
  return list?.isFirst === true ? [list.flag] : [];
}

function listOptions(command: Command): Map<string, ListOption> {
  const own = command.options.filter((option): option is ListOption => option instanceof ListOption);
  const found = own.map((option): [string, ListOption] => [option.long ?? option.flags, option]);
  return new Map([...found, ...command.commands.flatMap((sub) => [...listOptions(sub)])]);
}
