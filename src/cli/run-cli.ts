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
import { findHost } from './host-address.ts';
import { createHostClient } from './host-client.ts';
import { parseArguments } from './parse-arguments.ts';
import { UsageError } from './usage-error.ts';

/** What the command line takes from outside it. */
export interface CliOutside {
  readonly terminal: Terminal;
  readonly lang: Lang;
  readonly version: string;
  readonly hostCommands: HostCommands;
  /** Environment and configuration file, read only by commands that speak to a host. */
  readEnvironment(configFile: string | undefined): CliSettings;
}

export interface CliSettings {
  readonly url: string | undefined;
  readonly token: string | undefined;
  readonly tenant: string;
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
  return {
    args,
    options,
    lang: outside.lang,
    terminal: outside.terminal,
    version: outside.version,
    hostCommands: outside.hostCommands,
    commands: COMMANDS,
    tenantPath: () => `/api/v1/tenants/${encodeURIComponent(text('tenant') ?? settings().tenant)}`,
    host: () => {
      const { url, token, dataDir } = settings();
      return createHostClient(
        findHost({ url: text('url') ?? url, token: text('token') ?? token, dataDir }),
        outside.lang,
      );
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
    terminal.err(`v8host: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`);
    return EXIT.failed;
  }
  if (json) terminal.out(JSON.stringify(fail(thrown.toRecord(), lang)));
  else terminal.err(`${describeError(thrown.toRecord(), lang)} (${thrown.code})`);
  if (thrown.code === 'CONFIG_INVALID') return EXIT.usage;
  return thrown.code === 'HOST_UNREACHABLE' ? EXIT.unreachable : EXIT.failed;
}
