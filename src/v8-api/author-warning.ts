/** Words for a script's author about what a call did beside its answer. They go to the tenant's system log. */
import type { Lang } from '../core/errors.ts';
import type { RunContext } from '../ports/run-context.ts';
import type { Call } from './host-call.ts';

/** A call in a loop would fill the log with one sentence, so each is said once a run. */
const said = new WeakMap<RunContext, Set<string>>();

/** Warns the author, once for the same words in one run. */
export function warnAuthor(
  { context, lang }: Pick<Call, 'context' | 'lang'>,
  text: Readonly<Record<Lang, string>>,
): void {
  const before = said.get(context) ?? new Set<string>();
  said.set(context, before);
  const words = text[lang];
  if (before.has(words)) return;
  before.add(words);
  context.console('warn', words);
}
