import { AppError } from '../../core/errors.ts';

const LATE = Symbol('late');

/**
 * Waits for an answer of the broker, at most `ms`. The work itself goes on: what it does later is ignored.
 * @throws what the work throws, or QUEUE_NO_ANSWER.
 */
export async function withinMs<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(resolve, ms, LATE);
  });
  try {
    const first = await Promise.race([work, late]);
    if (first === LATE) throw new AppError('QUEUE_NO_ANSWER', { limit: ms });
    return first;
  } finally {
    clearTimeout(timer);
  }
}
