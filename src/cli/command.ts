import type { Lang } from '../core/errors.ts';
import type { HostClient } from './host-client.ts';

/** A sentence for people in both languages. */
export type Text = Readonly<Record<Lang, string>>;

/** Exit codes of the command line (defaults.md 4). */
export const EXIT = { ok: 0, failed: 1, usage: 2, unreachable: 3, notFound: 4 } as const;

/** An option of a command. `value` is its name in the help of an option that takes one. */
export interface CommandOption {
  readonly value?: string;
  readonly summary: Text;
}

/** A row of the command table. */
export interface Command {
  /** As typed, such as `tenant add`. */
  readonly name: string;
  readonly summary: Text;
  /** Names of the arguments in order; those in brackets may be left out. */
  readonly args: readonly string[];
  /** Its options beside those every client command has. */
  readonly options: Readonly<Record<string, CommandOption>>;
  /** True when it speaks to a running host and so takes `--url`, `--token`, `--tenant` and `--json`. */
  readonly client: boolean;
  readonly examples: readonly string[];
  /** @returns the exit code. @throws UsageError, AppError. */
  run(call: CommandCall): Promise<number>;
}

/** Where a command writes: results to `out`, messages to `err`. Both end the text with a line break. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
}

/** The commands that are the host itself; made by the composition root. */
export interface HostCommands {
  startHost(options: StartOptions): Promise<number>;
  migrateData(options: MigrateOptions): Promise<number>;
}

export interface StartOptions extends Terminal {
  /** Language of what is printed for people; the host's own messages have the configured one. */
  readonly lang: Lang;
  readonly configFile?: string;
  readonly noDemo: boolean;
}

export interface MigrateOptions extends Terminal {
  readonly lang: Lang;
  readonly configFile?: string;
  /** Also adds our columns to tables that the original platform made. */
  readonly extend: boolean;
}

/** One call of a command. */
export interface CommandCall {
  readonly args: readonly string[];
  readonly options: OptionValues;
  readonly lang: Lang;
  readonly terminal: Terminal;
  readonly version: string;
  readonly hostCommands: HostCommands;
  /** Commands of the table, for the help. */
  readonly commands: readonly Command[];
  /** The tenant's path in the API, such as `/api/v1/tenants/demo`. */
  tenantPath(): string;
  host(): HostClient;
}

/** Values of the options given; a switch is `true`. */
export type OptionValues = Readonly<Record<string, string | true | undefined>>;

/** The text of an option that takes a value. */
export function textOption(call: Pick<CommandCall, 'options'>, name: string): string | undefined {
  const value = call.options[name];
  return typeof value === 'string' ? value : undefined;
}
