import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery } from 'kysely';
import { AppError, coerceError } from '../../core/errors.ts';

/** A script's statement with the time it may take. Milliseconds. */
type TimedQuery<R> = CompiledQuery<R> & { readonly timeoutMs?: number };

/** Marks the statement, on its way through the query builder, with its time. */
export function timed<R>(query: CompiledQuery<R>, timeoutMs: number | undefined): CompiledQuery<R> {
  return timeoutMs === undefined ? query : ({ ...query, timeoutMs } as TimedQuery<R>);
}

/** Milliseconds a statement may take; undefined when nobody said. */
export function timeOf(query: CompiledQuery): number | undefined {
  return (query as TimedQuery<unknown>).timeoutMs;
}

export function tookTooLong(timeoutMs: number): AppError {
  return new AppError('SQL_TIMEOUT', { limit: timeoutMs / 1000 });
}

/** Between two orders to end a statement: one that meets the PREPARE before it is lost. Milliseconds. */
const AGAIN_MS = 100;

/**
 * Runs a statement on a server and has it ended when its time is up. The session goes on, and with it the transaction:
 * only what the statement did is undone.
 * @param interrupt ends the statement that the session is at. It is waited for, so that it cannot meet the next one.
 */
export async function withinTime<T>(
  timeoutMs: number | undefined,
  work: Promise<T>,
  interrupt: () => Promise<void>,
): Promise<T> {
  if (timeoutMs === undefined) return work;
  const over = new AbortController();
  let late = false;
  const ending = (async () => {
    await pause(timeoutMs, over.signal);
    while (!over.signal.aborted) {
      late = true;
      await interrupt().catch(() => undefined);
      await pause(AGAIN_MS, over.signal);
    }
  })();
  try {
    return await work;
  } catch (error: unknown) {
    throw late && coerceError(error).code === 'DB_TX_LOST' ? tookTooLong(timeoutMs) : error;
  } finally {
    over.abort();
    await ending;
  }
}

function pause(ms: number, over: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal: over }).catch(() => undefined);
}
