import type { Lang } from '../core/errors.ts';
import type { CommandCall } from './command.ts';

/** A quick answer shows nothing; then a line that is renewed each second. Milliseconds. */
const FIRST_MS = 500;
const EACH_MS = 1_000;

/**
 * Waits for long work of the host and shows, where a person looks on, what it is and for how long. @param what is done,
 * such as `pushing 240 files`.
 */
export async function whileShowing<T>(
  { terminal, lang }: Pick<CommandCall, 'terminal' | 'lang'>,
  what: Readonly<Record<Lang, string>>,
  work: Promise<T>,
): Promise<T> {
  const { progress } = terminal;
  if (progress === undefined) return work;
  const startedAt = Date.now();
  const show = (): void => {
    const seconds = Math.round((Date.now() - startedAt) / 1000);
    progress(lang === 'zh' ? `${what.zh}… ${seconds} 秒` : `${what.en}… ${seconds} s`);
  };
  let timer = setTimeout(() => {
    show();
    timer = setInterval(show, EACH_MS);
  }, FIRST_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    progress(undefined);
  }
}
