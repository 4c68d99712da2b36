import type { Command } from './command.ts';
import { optionsOf } from './parse-arguments.ts';

/** Scripts by which shells complete commands and options, by the shell's name. */
export const COMPLETION_SCRIPTS: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/**
 * The words after the program's name decide: the second word of a group, or the options of a command. After an option
 * that takes a value, and where nothing fits, come files.
 */
function bashScript(commands: readonly Command[]): string {
  const cases = [
    ...groupNames(commands).map((group) => branch(`'${group} '`, secondWords(commands, group))),
    ...commands.map((command) => {
      const [first, second] = command.name.split(' ');
      // A command of two words is these words; behind one of one word may stand anything.
      return branch(second === undefined ? `'${first} '*` : `'${first} ${second}'`, flags(command));
    }),
  ];
  return [
    '_v8host() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" offered="" word`,
    `  local typed="\${COMP_WORDS[1]} \${COMP_WORDS[2]}"`,
    `  [ "$COMP_CWORD" -eq 2 ] && typed="\${COMP_WORDS[1]} "`,
    '  case "$typed" in',
    ...cases,
    '  esac',
    `  [ "$COMP_CWORD" -eq 1 ] && offered='${firstWords(commands).join(' ')}'`,
    `  case "$previous" in ${valued(commands).join('|')}) offered='' ;; esac`,
    // Zsh's compgen leaves it to others to compare.
    '  COMPREPLY=()',
    '  for word in $(compgen -W "$offered" -- "$current"); do',
    '    case "$word" in "$current"*) COMPREPLY+=("$word") ;; esac',
    '  done',
    '}',
    // Where nothing fits, files.
    'complete -o default -F _v8host v8host',
  ].join('\n');
}

/** Zsh runs the script of bash, in a shell with completion, which a plain one has to be given first. */
function zshScript(commands: readonly Command[]): string {
  return [
    'whence compdef > /dev/null || { autoload -U +X compinit && compinit }',
    'autoload -U +X bashcompinit && bashcompinit',
    bashScript(commands),
  ].join('\n');
}

function fishScript(commands: readonly Command[]): string {
  const first = firstWords(commands).map((word) => `complete -c v8host -n __fish_use_subcommand -f -a ${word}`);
  const second = groupNames(commands).flatMap((group) => {
    const words = secondWords(commands, group);
    const open = `__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${words.join(' ')}`;
    return words.map((word) => `complete -c v8host -n '${open}' -f -a ${word}`);
  });
  return [...first, ...second, ...commands.flatMap(fishOptions)].join('\n');
}

function fishOptions(command: Command): string[] {
  const seen = command.name.split(' ').map((word) => `__fish_seen_subcommand_from ${word}`);
  return Object.entries(optionsOf(command)).map(([name, { value, summary }]) => {
    const kind = value === undefined ? '' : ' -r';
    return `complete -c v8host -n '${seen.join('; and ')}' -l ${name}${kind} -d '${summary.en.replaceAll("'", "\\'")}'`;
  });
}

function branch(pattern: string, words: readonly string[]): string {
  return `    ${pattern}) offered='${words.join(' ')}' ;;`;
}

function firstWords(commands: readonly Command[]): string[] {
  return [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))];
}

function groupNames(commands: readonly Command[]): string[] {
  return firstWords(commands).filter((word) => commands.some(({ name }) => name.startsWith(`${word} `)));
}

function secondWords(commands: readonly Command[], group: string): string[] {
  return commands.flatMap(({ name }) => (name.startsWith(`${group} `) ? [name.slice(group.length + 1)] : []));
}

function flags(command: Command): string[] {
  return Object.keys(optionsOf(command)).map((name) => `--${name}`);
}

/** Options that take a value, which is the next word. */
function valued(commands: readonly Command[]): string[] {
  const found = commands.flatMap((command) =>
    Object.entries(optionsOf(command)).flatMap(([name, { value }]) => (value === undefined ? [] : [`--${name}`])),
  );
  return [...new Set(found)];
}
