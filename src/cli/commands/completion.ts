import { type Command, EXIT } from '../command.ts';
import { optionsOf } from '../parse-arguments.ts';
import { UsageError } from '../usage-error.ts';

/** `completion`: a script by which a shell completes commands and options. */
export const completion: Command = {
  name: 'completion',
  summary: { zh: '输出 shell 的补全脚本', en: 'print a completion script for a shell' },
  args: ['SHELL'],
  options: {},
  client: false,
  examples: ['source <(v8host completion bash)', 'v8host completion fish > ~/.config/fish/completions/v8host.fish'],
  async run({ args, commands, terminal }) {
    const write = SHELLS[args[0] ?? ''];
    if (write === undefined) {
      throw new UsageError('SHELL 为 bash、zsh 或 fish', 'SHELL is bash, zsh or fish');
    }
    terminal.out(write(commands));
    return EXIT.ok;
  },
};

const SHELLS: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: bashScript,
  zsh: (commands) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`,
  fish: fishScript,
};

/** The words after the program's name decide: the second word of a group, or the options of a command. */
function bashScript(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const [first, second] = command.name.split(' ');
    return `    '${first} ${second ?? ''}'*) words='${flags(command)}' ;;`;
  });
  const groups = groupNames(commands).map(
    (group) => `    '${group} ') words='${secondWords(commands, group).join(' ')}' ;;`,
  );
  return [
    '_v8host() {',
    `  local current="\${COMP_WORDS[COMP_CWORD]}" words=""`,
    `  local typed="\${COMP_WORDS[1]} \${COMP_WORDS[2]}"`,
    `  [ "$COMP_CWORD" -eq 2 ] && typed="\${COMP_WORDS[1]} "`,
    '  case "$typed" in',
    ...groups,
    ...cases,
    '  esac',
    `  [ "$COMP_CWORD" -eq 1 ] && words='${firstWords(commands).join(' ')}'`,
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    `  [ \${#COMPREPLY[@]} -eq 0 ] && COMPREPLY=($(compgen -f -- "$current"))`,
    '}',
    'complete -F _v8host v8host',
  ].join('\n');
}

function fishScript(commands: readonly Command[]): string {
  const first = firstWords(commands).map((word) => `complete -c v8host -n __fish_use_subcommand -f -a ${word}`);
  const rest = commands.flatMap((command) => {
    const [word, second] = command.name.split(' ');
    const seen = `__fish_seen_subcommand_from ${word}`;
    const sub = second === undefined ? [] : [`complete -c v8host -n '${seen}' -f -a ${second}`];
    const options = Object.entries(optionsOf(command)).map(
      ([name, { value }]) => `complete -c v8host -n '${seen}' -l ${name}${value === undefined ? '' : ' -r'}`,
    );
    return [...sub, ...options];
  });
  return [...first, ...new Set(rest)].join('\n');
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

function flags(command: Command): string {
  return Object.keys(optionsOf(command))
    .map((name) => `--${name}`)
    .join(' ');
}
