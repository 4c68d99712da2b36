import type { Lang } from '../core/errors.ts';
import { type Command, type CommandOption, EXIT, type Text } from './command.ts';
import { CLIENT_OPTIONS, GENERAL_OPTIONS } from './parse-arguments.ts';
import { definitionLines, piecesAsLines, wrappedLines } from './wrapped-text.ts';

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

/** Of every command, and of those that speak to a host. */
const EXITS: Readonly<Record<number, Text>> = {
  [EXIT.ok]: { zh: '成功', en: 'ok' },
  [EXIT.failed]: { zh: '失败', en: 'failed' },
  [EXIT.usage]: { zh: '用法错误', en: 'usage' },
};
const CLIENT_EXITS: Readonly<Record<number, Text>> = {
  [EXIT.unreachable]: { zh: '连不上主机', en: 'host not reached' },
  [EXIT.notFound]: { zh: '没有找到', en: 'not found' },
};

const MORE: Text = { zh: '。命令的详细用法：v8host help 命令', en: '. More on a command: v8host help COMMAND' };

/** Columns of the help: those of a small window. */
const WIDTH = 100;
const INDENT = 2;
/** A longer name has its meaning below. */
const LONGEST_NAME = 36;

/** Help on all commands, without their options. */
export function generalHelp(commands: readonly Command[], lang: Lang): string {
  const words = WORDS[lang];
  return [
    `${words.usage}: v8host COMMAND [OPTIONS]`,
    '',
    `${words.commands}:`,
    ...defined(commands.map((command) => [[command.name, ...command.args].join(' '), command.summary[lang]])),
    '',
    `${words.client}:`,
    ...optionLines({ ...CLIENT_OPTIONS, ...GENERAL_OPTIONS }, lang),
    '',
    ...wrappedLines(exitText({ ...EXITS, ...CLIENT_EXITS }, lang) + MORE[lang], WIDTH),
  ].join('\n');
}

/** Help on one command. */
export function commandHelp(command: Command, lang: Lang): string {
  const words = WORDS[lang];
  const options = { ...command.options, ...(command.client ? CLIENT_OPTIONS : {}), ...GENERAL_OPTIONS };
  const examples = command.examples.map((example) => `  ${example}`);
  return [
    ...wrappedLines(command.summary[lang], WIDTH),
    '',
    ...usageLines(`${words.usage}: v8host`, command),
    '',
    `${words.options}:`,
    ...optionLines(options, lang),
    '',
    `${words.examples}:`,
    ...examples,
    '',
    ...wrappedLines(exitText({ ...EXITS, ...(command.client ? CLIENT_EXITS : {}), ...command.exits }, lang), WIDTH),
  ].join('\n');
}

/** Such as `Exit codes: 0 ok, 1 failed, 2 usage`. */
function exitText(exits: Readonly<Record<number, Text>>, lang: Lang): string {
  const list = Object.entries(exits).map(([code, text]) => `${code} ${text[lang]}`);
  return lang === 'zh' ? `退出码：${list.join('，')}` : `Exit codes: ${list.join(', ')}`;
}

/** Such as `Usage: v8host push DIR [--dry-run] [--prune]`; options that it cannot do without have no brackets. */
function usageLines(begin: string, command: Command): string[] {
  const options = Object.entries(command.options).map(([name, { value, isRequired }]) => {
    const long = value === undefined ? `--${name}` : `--${name} ${value}`;
    return isRequired === true ? long : `[${long}]`;
  });
  const parts = [`${begin} ${command.name}`, ...command.args, ...options].map((part) => `${part} `);
  return piecesAsLines(parts, WIDTH - INDENT).map((line, index) => (index === 0 ? '' : ' '.repeat(INDENT)) + line);
}

function optionLines(options: Readonly<Record<string, CommandOption>>, lang: Lang): string[] {
  return defined(Object.entries(options).map(([name, option]) => [flag(name, option), option.summary[lang]]));
}

function flag(name: string, { value, short }: CommandOption): string {
  const names = short === undefined ? `--${name}` : `--${name}, -${short}`;
  return value === undefined ? names : `${names} ${value}`;
}

function defined(pairs: readonly (readonly [string, string])[]): string[] {
  const lines = definitionLines(pairs, { width: WIDTH - INDENT, longestName: LONGEST_NAME });
  return lines.map((line) => ' '.repeat(INDENT) + line);
}
