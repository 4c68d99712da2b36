import { AppError } from '../core/errors.ts';

/** One thing that is wrong with the configuration. It never holds the value, which may be a secret. */
export interface Problem {
  /** Path of the setting with its variable, or the file or variable itself. */
  readonly where: string;
  /** What it has to be, in both languages. */
  readonly rule: string;
  /** The variable of the environment to change; absent where it is the file. */
  readonly variable?: string;
}

/** All problems as one error, CONFIG_INVALID. */
export class ConfigError extends AppError {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super('CONFIG_INVALID', { problems: problems.map(({ where, rule }) => `  ${where}: ${rule}`).join('\n') });
    this.problems = problems;
  }
}
