import type { Command } from 'commander';

/** Words that may follow a path of commands, such as `trust set`. */
interface Words {
  path: string;
  words: { word: string; about: string }[];
}

function wordsOf(command: Command, path: readonly string[] = []): Words[] {
  const words = [
    ...command.commands.map((sub) => ({ word: sub.name(), about: sub.description() })),
    ...command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices.map((word) => ({ word, about: '' }))),
    ...command.options.map((option) => ({ word: option.long ?? option.flags, about: option.description })),
  ];
  return [{ path: path.join(' '), words }, ...command.commands.flatMap((sub) => wordsOf(sub, [...path, sub.name()]))];
}

/** Both shells count the commands among the words so far; the longest known path says what may follow. */
function pathCases(program: Command, variable: string): string {
  return wordsOf(program)
    .map(({ path, words }) => `    '${path}') ${variable}='${words.map(({ word }) => word).join(' ')}' ;;`)
    .join('\n');
}

function groups(program: Command): string {
  return program.commands
    .filter(({ commands }) => commands.length > 0)
    .map((command) => command.name())
    .join('|');
}

export function bashCompletion(program: Command): string {
  return `# bash completion for agentrelay. Put this into ~/.bashrc: source <(agentrelay completion bash)
_agentrelay() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path='' words=''
  if [ "$COMP_CWORD" -gt 1 ]; then path="\${COMP_WORDS[1]}"; fi
  case "$path" in
    ${groups(program)}) if [ "$COMP_CWORD" -gt 2 ]; then path="$path \${COMP_WORDS[2]}"; fi ;;
  esac
  case "$path" in
${pathCases(program, 'words')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -F _agentrelay agentrelay
`;
}

export function zshCompletion(program: Command): string {
  // In zsh `words` holds what is typed and `path` is the search path: ours have other names.
  return `#compdef agentrelay
# zsh completion for agentrelay. Put this into ~/.zshrc: source <(agentrelay completion zsh)
_agentrelay() {
  local typed='' next=''
  if (( CURRENT > 2 )); then typed="\${words[2]}"; fi
  case "$typed" in
    ${groups(program)}) if (( CURRENT > 3 )); then typed="$typed \${words[3]}"; fi ;;
  esac
  case "$typed" in
${pathCases(program, 'next')}
  esac
  compadd -- \${=next}
}
compdef _agentrelay agentrelay
`;
}

export function fishCompletion(program: Command): string {
  const lines = wordsOf(program).flatMap(({ path, words }) =>
    words.map(({ word, about }) => {
      const [command, sub] = path.split(' ');
      const condition = !command
        ? '__fish_use_subcommand'
        : `__fish_seen_subcommand_from ${command}${sub === undefined ? '' : `; and __fish_seen_subcommand_from ${sub}`}`;
      const completes = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
      return `complete -c agentrelay -f -n '${condition}' ${completes}${about === '' ? '' : ` -d '${quoted(about)}'`}`;
    }),
  );
  return `# fish completion for agentrelay. Save this as ~/.config/fish/completions/agentrelay.fish\n${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
}
