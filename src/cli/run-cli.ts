import { fail } from '../core/dos-result.ts';
import { AppError, describeError, type Lang } from '../core/errors.ts';
import {
  type Command,
  type CommandCall,
  EXIT,
  type HostCommands,
  type OptionValues,
  type Terminal,
} from './command.ts';
import { COMMANDS } from './command-table.ts';
import { commandHelp, generalHelp } from './help.ts';
import { findHost, type HostAddress } from './host-address.ts';
import { createHostClient } from './host-client.ts';
import { LoginFile } from './login-file.ts';
import { parseArguments } from './parse-arguments.ts';
import { UsageError } from './usage-error.ts';

/** What the command line takes from outside it. */
export interface CliOutside {
  readonly terminal: Terminal;
  readonly lang: Lang;
  readonly version: string;
  readonly hostCommands: HostCommands;
  /** Where logins are kept; absolute. */
  readonly loginFile: string;
  /** Environment and configuration file, read only by commands that speak to a host. */
  readEnvironment(configFile: string | undefined): CliSettings;
}

export interface CliSettings {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly tenant: string;
  /** The one that the environment names. */
  readonly namedTenant: string | undefined;
  readonly dataDir: string;
}

/** Runs the command line. @param argv the words after the program's name. @returns the exit code; never throws. */
export async function runCli(argv: readonly string[], outside: CliOutside): Promise<number> {
  let options: OptionValues = {};
  try {
    const parsed = parseArguments(withVersionCommand(argv), COMMANDS);
    options = parsed.options;
    if (parsed.command === undefined) return showGeneralHelp(options, outside);
    if (options.help === true) return showCommandHelp(parsed.command, outside);
    return await parsed.command.run(makeCall(parsed.args, options, outside));
  } catch (thrown) {
    return reportFailure(thrown, options.json === true, outside);
  }
}

/** `--version` is what people try first. */
function withVersionCommand(argv: readonly string[]): readonly string[] {
  return argv[0] === '--version' || argv[0] === '-v' ? ['version', ...argv.slice(1)] : argv;
}

function showGeneralHelp(options: OptionValues, { terminal, lang }: CliOutside): number {
  const asked = options.help === true;
  terminal[asked ? 'out' : 'err'](generalHelp(COMMANDS, lang));
  return asked ? EXIT.ok : EXIT.usage;
}

function showCommandHelp(command: Command, { terminal, lang }: CliOutside): number {
  terminal.out(commandHelp(command, lang));
  return EXIT.ok;
}

function makeCall(args: readonly string[], options: OptionValues, outside: CliOutside): CommandCall {
  const text = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined);
  const settings = () => outside.readEnvironment(text('config'));
  const logins = new LoginFile(outside.loginFile);
  const address = (): HostAddress => {
    const { url, token, dataDir } = settings();
    const loginOf = (origin: string) => logins.get(origin);
    return findHost({ url: text('url') ?? url, token: text('token') ?? token, dataDir, loginOf });
  };
  const tenant = (): string => {
    const { namedTenant, tenant: configured } = settings();
    return text('tenant') ?? namedTenant ?? address().login?.tenant ?? configured;
  };
  return {
    args,
    options,
    lang: outside.lang,
    terminal: outside.terminal,
    version: outside.version,
    hostCommands: outside.hostCommands,
    commands: COMMANDS,
    tenant,
    tenantPath: () => `/api/v1/tenants/${encodeURIComponent(tenant())}`,
    host: () => {
      const { login, ...at } = address();
      const keep = (token: string) => login && logins.set(at.url, { ...login, token });
      return createHostClient(at, outside.lang, keep);
    },
    login: () => {
      const { url } = address();
      return {
        url,
        saved: logins.get(url),
        keep: (login) => (login === undefined ? logins.remove(url) : logins.set(url, login)),
        as: (token) => createHostClient({ url, token }, outside.lang),
      };
    },
  };
}

function reportFailure(thrown: unknown, json: boolean, { terminal, lang }: CliOutside): number {
  if (thrown instanceof UsageError) {
    terminal.err(thrown.text[lang]);
    terminal.err(lang === 'zh' ? '用法见 v8host help' : 'See v8host help');
    return EXIT.usage;
  }
  if (!(thrown instanceof AppError)) {
    terminal.err(`v8host: ${unforeseen(thrown)}`);
    return EXIT.failed;
  }
  if (json) terminal.out(JSON.stringify(fail(thrown.toRecord(), lang)));
  else terminal.err(`${describeError(thrown.toRecord(), lang)} (${thrown.code})`);
  if (thrown.code === 'CONFIG_INVALID') return EXIT.usage;
  if (thrown.code === 'NOT_FOUND') return EXIT.notFound;
  return thrown.code === 'HOST_UNREACHABLE' ? EXIT.unreachable : EXIT.failed;
}

/** What a file system refuses is for who typed the command: it names the path and says why. Else the stack is for us. */
function unforeseen(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  const isOfFiles = 'syscall' in thrown && 'path' in thrown;
  return isOfFiles ? thrown.message : (thrown.stack ?? thrown.message);
}
