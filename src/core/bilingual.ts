import { describeError, type ErrorRecord } from './errors.ts';

/** The text of a rule that goes into an error's parameters, where the reader's language is not known yet. */
export function bilingual(zh: string, en: string): string {
  return `${zh} / ${en}`;
}

/** A refusal's sentence as a rule inside another refusal, such as a bad queue name inside a bad binding row. */
export function ruleOf(error: ErrorRecord): string {
  return bilingual(describeError(error, 'zh'), describeError(error, 'en'));
}
