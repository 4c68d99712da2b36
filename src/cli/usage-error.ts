import type { Text } from './command.ts';

/** The command line itself is wrong: exit 2 with the sentence and where to read more. */
export class UsageError extends Error {
  readonly text: Text;

  constructor(zh: string, en: string) {
    super(en);
    this.name = 'UsageError';
    this.text = { zh, en };
  }
}
