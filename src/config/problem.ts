import { AppError } from '../core/errors.ts';

/** One thing that is wrong with the configuration. It never holds the value, which may be a secret. */
export interface Problem {
  /** Path of the setting with its variable, or the file or variable itself. */
  readonly where: string;
  /** What it has to be, in both languages. */
  readonly rule: string;
}

/** All problems as one error. */
export function configError(problems: readonly Problem[]): AppError {
  return new AppError('CONFIG_INVALID', {
    problems: problems.map(({ where, rule }) => `  ${where}: ${rule}`).join('\n'),
  });
}
