import { parseArgs } from 'node:util';
import { nearestName } from '../core/nearest-name.ts';
import type { Command, CommandOption, OptionValues } from './command.ts';
import { UsageError } from './usage-error.ts';

/** Options of every command that speaks to a host. */
export const CLIENT_OPTIONS: Readonly<Record<string, CommandOption>> = {
  tenant: { value: 'T', summary: { zh: '租户，默认为配置的主租户', en: "tenant, by default the configuration's" } },
  json: { summary: { zh: '原样输出 DosResult', en: 'print the DosResult as it came' } },
  url: { value: 'URL', summary: { zh: '主机地址，默认为本机', en: 'address of the host, by default the local one' } },
  token: {
    value: 'TOKEN',
    summary: {
      zh: '令牌，默认为 V8HOST_TOKEN，本机的主机还可读取数据目录中的 admin.token',
      en: 'token, by default V8HOST_TOKEN or, of a local host, admin.token of its data directory',
    },
  },
};

/** Options of every command. */
export const GENERAL_OPTIONS: Readonly<Record<string, CommandOption>> = {
  config: { value: 'FILE', summary: { zh: '配置文件', en: 'configuration file' } },
  help: { short: 'h', summary: { zh: '显示帮助', en: 'show help' } },
};

/** What the command line asks for. */
export interface ParsedArguments {
  /** Undefined when it names no command at all. */
  readonly command: Command | undefined;
  readonly args: readonly string[];
  readonly options: OptionValues;
}

/** Every option that a command takes. */
export function optionsOf(command: Command): Readonly<Record<string, CommandOption>> {
  return { ...command.options, ...(command.client ? CLIENT_OPTIONS : {}), ...GENERAL_OPTIONS };
}

/**
 * Finds the command and its options; options may stand anywhere, everything after `--` is an argument.
 * @throws UsageError naming the command, option or argument and the nearest valid one.
 */
export function parseArguments(argv: readonly string[], commands: readonly Command[]): ParsedArguments {
  const known = Object.assign({}, ...commands.map(optionsOf)) as Record<string, CommandOption>;
  const tokens = tokenize(argv, known);
  const words = tokens.flatMap((token) => (token.kind === 'positional' ? [token.value] : []));
  const given = tokens.flatMap((token) => (token.kind === 'option' ? [token] : []));
  const group = given.some(({ name }) => name === 'help') ? helpOnGroup(words, commands) : undefined;
  if (group !== undefined) return group;
  const command = findCommand(words, commands);
  const allowed = command === undefined ? GENERAL_OPTIONS : optionsOf(command);
  const options: Record<string, string | true> = {};
  for (const token of given) options[token.name] = optionValue(token, allowed, command);
  const args = words.slice(command?.name.split(' ').length ?? 0);
  if (command !== undefined && options.help === undefined) checkArguments(command, args);
  return { command, args, options };
}

type OptionToken = Extract<ReturnType<typeof tokenize>[number], { kind: 'option' }>;

function tokenize(argv: readonly string[], known: Readonly<Record<string, CommandOption>>) {
  const options = Object.fromEntries(
    Object.entries(known).map(([name, { value, short }]) => [
      name,
      { type: value === undefined ? 'boolean' : 'string', ...(short === undefined ? {} : { short }) } as const,
    ]),
  );
  return parseArgs({ args: [...argv], options, strict: false, allowPositionals: true, tokens: true }).tokens;
}

/** `v8host tenant --help` asks about every command that begins so. */
function helpOnGroup(words: readonly string[], commands: readonly Command[]): ParsedArguments | undefined {
  const [first] = words;
  if (first === undefined || words.length > 1 || !commands.some(({ name }) => name.startsWith(`${first} `))) {
    return undefined;
  }
  return { command: commands.find(({ name }) => name === 'help'), args: [first], options: {} };
}

function findCommand(words: readonly string[], commands: readonly Command[]): Command | undefined {
  const [first, second] = words;
  if (first === undefined) return undefined;
  const command =
    commands.find(({ name }) => name === `${first} ${second}`) ?? commands.find(({ name }) => name === first);
  if (command !== undefined) return command;
  const group = commands.filter(({ name }) => name.startsWith(`${first} `)).map(({ name }) => name);
  if (group.length > 0)
    throw new UsageError(`${first} 之后请写：${group.join('、')}`, `After ${first} comes: ${group.join(', ')}`);
  const nearest = nearestName(first, [...new Set(commands.map(({ name }) => name.split(' ')[0] ?? ''))]);
  throw new UsageError(`没有命令 ${first}${hint(nearest, 'zh')}`, `There is no command ${first}${hint(nearest, 'en')}`);
}

function optionValue(
  token: OptionToken,
  allowed: Readonly<Record<string, CommandOption>>,
  command: Command | undefined,
): string | true {
  const option = Object.hasOwn(allowed, token.name) ? allowed[token.name] : undefined;
  if (option === undefined) throw unknownOption(token, Object.keys(allowed), command);
  if (option.value === undefined) {
    if (token.value === undefined) return true;
    throw new UsageError(`${token.rawName} 不带值`, `${token.rawName} takes no value`);
  }
  // The next word is an option of its own: its value was forgotten.
  const forgotten =
    token.value === undefined || token.value === '' || (!token.inlineValue && token.value.startsWith('--'));
  if (!forgotten && token.value !== undefined) return token.value;
  throw new UsageError(
    `${token.rawName} 需要一个值：${option.value}`,
    `${token.rawName} needs a value: ${option.value}`,
  );
}

function unknownOption(token: OptionToken, allowed: readonly string[], command: Command | undefined): UsageError {
  const nearest = nearestName(token.name, allowed);
  const suggested = nearest === undefined ? undefined : `--${nearest}`;
  const name = command?.name ?? 'v8host';
  return new UsageError(
    `${name} 没有选项 ${token.rawName}${hint(suggested, 'zh')}`,
    `${name} has no option ${token.rawName}${hint(suggested, 'en')}`,
  );
}

function checkArguments(command: Command, args: readonly string[]): void {
  const missing = command.args.find((name, index) => !name.startsWith('[') && args[index] === undefined);
  if (missing !== undefined) {
    throw new UsageError(`${command.name} 缺少参数 ${missing}`, `${command.name} needs the argument ${missing}`);
  }
  const extra = args[command.args.length];
  if (extra === undefined) return;
  throw new UsageError(
    `${command.name} 不认识多余的参数 ${extra}${takesJson(command) ? '；含空格的 JSON 要用引号括起来' : ''}`,
    `${command.name} does not know the extra argument ${extra}${takesJson(command) ? '; JSON with blanks must be quoted' : ''}`,
  );
}

function takesJson({ args, options }: Command): boolean {
  return [...args, ...Object.values(options).map(({ value }) => value ?? '')].some((name) => name.includes('JSON'));
}

function hint(nearest: string | undefined, lang: 'zh' | 'en'): string {
  if (nearest === undefined) return '';
  return lang === 'zh' ? `，是否指 ${nearest}？` : `, did you mean ${nearest}?`;
}
