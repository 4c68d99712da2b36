import type { Lang } from '../core/errors.ts';
import type { Command, CommandOption } from './command.ts';
import { CLIENT_OPTIONS, GENERAL_OPTIONS } from './parse-arguments.ts';
import { tableLines } from './text-table.ts';

const WORDS = {
  zh: { usage: '用法', commands: '命令', options: '选项', client: '访问主机的命令都有', examples: '例' },
  en: {
    usage: 'Usage',
    commands: 'Commands',
    options: 'Options',
    client: 'Every client command takes',
    examples: 'Examples',
  },
} as const;

const EXIT_CODES = {
  zh: '退出码：0 成功，1 失败，2 用法错误，3 连不上主机，4 没有找到。命令的详细用法：v8host help 命令',
  en: 'Exit codes: 0 ok, 1 failed, 2 usage, 3 host not reached, 4 not found. More on a command: v8host help COMMAND',
} as const;

/** Help on all commands. */
export function generalHelp(commands: readonly Command[], lang: Lang): string {
  const words = WORDS[lang];
  return [
    `${words.usage}: v8host COMMAND [OPTIONS]`,
    '',
    `${words.commands}:`,
    ...indented(commands.map((command) => [signature(command), command.summary[lang]])),
    '',
    `${words.client}:`,
    ...optionLines({ ...CLIENT_OPTIONS, ...GENERAL_OPTIONS }, lang),
    '',
    EXIT_CODES[lang],
  ].join('\n');
}

/** Help on one command. */
export function commandHelp(command: Command, lang: Lang): string {
  const words = WORDS[lang];
  const options = { ...command.options, ...(command.client ? CLIENT_OPTIONS : {}), ...GENERAL_OPTIONS };
  const examples = command.examples.map((example) => `  ${example}`);
  return [
    command.summary[lang],
    '',
    `${words.usage}: v8host ${signature(command)}`,
    '',
    `${words.options}:`,
    ...optionLines(options, lang),
    ...(examples.length === 0 ? [] : ['', `${words.examples}:`, ...examples]),
  ].join('\n');
}

/** Such as `push DIR [--dry-run] [--prune]`. */
function signature(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]) => `[${flag(name, option)}]`);
  return [command.name, ...command.args, ...options].join(' ');
}

function optionLines(options: Readonly<Record<string, CommandOption>>, lang: Lang): string[] {
  return indented(Object.entries(options).map(([name, option]) => [flag(name, option), option.summary[lang]]));
}

function flag(name: string, { value }: CommandOption): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function indented(rows: readonly (readonly string[])[]): string[] {
  return tableLines(rows).map((line) => `  ${line}`);
}
