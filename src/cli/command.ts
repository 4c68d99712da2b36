import type { Lang } from '../core/errors.ts';
import type { Finding } from '../core/finding.ts';
import type { NoteProgress } from '../core/progress.ts';
import type { MqttLink, MqttLinkOptions } from '../ports/mqtt-link.ts';
import type { HostClient } from './host-client.ts';
import type { SavedLogin } from './login-file.ts';
import type { ScriptFile } from './script-project.ts';

/** A sentence for people in both languages. */
export type Text = Readonly<Record<Lang, string>>;

/** Exit codes of the command line (defaults.md 4). */
export const EXIT = { ok: 0, failed: 1, usage: 2, unreachable: 3, notFound: 4 } as const;

/** An option of a command. `value` is its name in the help of an option that takes one. */
export interface CommandOption {
  readonly value?: string;
  /** One letter that means the same behind a single dash; the same letter means the same everywhere. */
  readonly short?: string;
  /** The command refuses to run without it. */
  readonly isRequired?: true;
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
  /** Exit codes that mean something else than those of every command, or are its own. */
  readonly exits?: Readonly<Record<number, Text>>;
  /** @returns the exit code. @throws UsageError, AppError. */
  run(call: CommandCall): Promise<number>;
}

/** Where a command writes: results to `out`, messages to `err`. Both end the text with a line break. */
export interface Terminal {
  out(text: string): void;
  err(text: string): void;
  /** Shows how far long work is, on one line that goes with the next text; only where a person looks on. */
  progress?(text: string | undefined): void;
}

/** The commands that are the host itself; made by the composition root. */
export interface HostCommands {
  startHost(options: StartOptions): Promise<number>;
  migrateData(options: MigrateOptions): Promise<number>;
  restoreData(options: RestoreOptions): Promise<number>;
  testScripts(options: TestOptions): Promise<readonly TestResult[]>;
  /** As a device connects; undefined when the broker refuses it. @throws AppError HOST_UNREACHABLE. */
  openMqttLink(options: MqttLinkOptions): Promise<MqttLink | undefined>;
  /** Never rejects. */
  examineHost(options: ExamineOptions): Promise<readonly Finding[]>;
}

/** For `doctor`. */
export interface ExamineOptions {
  readonly configFile?: string;
  /** A host answers at the address: its ports are taken by itself. */
  readonly hostRuns: boolean;
  /** Told what is looked at now; undefined at the end. */
  readonly progress?: (area: string | undefined) => void;
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
  /** Prints one DosResult instead of lines. */
  readonly json: boolean;
  readonly note: NoteProgress;
}

export interface RestoreOptions extends Terminal {
  readonly lang: Lang;
  readonly configFile?: string;
  /** Directory of the backup; relative to the working directory. */
  readonly from: string;
  /** Moves data that is there already aside. */
  readonly replace: boolean;
  /** Prints one DosResult instead of lines. */
  readonly json: boolean;
  readonly note: NoteProgress;
}

/** A script project with its tests. */
export interface TestOptions extends Terminal {
  readonly lang: Lang;
  readonly scripts: readonly ScriptFile[];
  readonly tests: readonly ScriptFile[];
  progress(text: string | undefined): void;
}

/** How one test ended. `name` is empty where a file as a whole failed; `ms` is its wall time. */
export interface TestResult {
  readonly file: string;
  readonly name: string;
  readonly ok: boolean;
  readonly ms: number;
  readonly message?: string;
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
  /** `--tenant`, else the environment's, else that of the login in use, else the configuration's. */
  tenant(): string;
  host(): HostClient;
  login(): LoginPlace;
}

/** Where the login to the host at this address is kept. */
export interface LoginPlace {
  readonly url: string;
  readonly saved: SavedLogin | undefined;
  /** Replaces it; undefined: forgets it. */
  readonly keep: (login: SavedLogin | undefined) => void;
  /** The host, asked with this token or none. */
  readonly as: (token: string | undefined) => HostClient;
}

/** Values of the options given; a switch is `true`. */
export type OptionValues = Readonly<Record<string, string | true | undefined>>;

/** The text of an option that takes a value. */
export function textOption(call: Pick<CommandCall, 'options'>, name: string): string | undefined {
  const value = call.options[name];
  return typeof value === 'string' ? value : undefined;
}
