import { setTimeout as sleep } from 'node:timers/promises';
import type { CompiledQuery } from 'kysely';
import { AppError, coerceError } from '../../core/errors.ts';

/** Until when a script's statement may run: absent, until whoever sent it gives it up. */
export interface StatementTime {
  /** Milliseconds. */
  readonly timeoutMs?: number;
  /** Aborted when its run ends. */
  readonly over?: AbortSignal;
}

type TimedQuery<R> = CompiledQuery<R> & StatementTime;

/** Marks the statement, on its way through the query builder, with its time. */
export function timed<R>(query: CompiledQuery<R>, timeoutMs: number | undefined): CompiledQuery<R> {
  return timeoutMs === undefined ? query : ({ ...query, timeoutMs } as TimedQuery<R>);
}

/** Marks the statement with the end of its run. */
export function untilOver<R>(query: CompiledQuery<R>, over: AbortSignal): CompiledQuery<R> {
  return { ...query, over } as TimedQuery<R>;
}

/** What the statement was marked with. */
export function timeOf(query: CompiledQuery): StatementTime {
  return query as TimedQuery<unknown>;
}

export function tookTooLong(timeoutMs: number): AppError {
  return new AppError('SQL_TIMEOUT', { limit: timeoutMs / 1000 });
}

/** How a statement is ended from outside. */
export interface StatementEnd {
  /** Has the server end it. It is waited for, so that it cannot meet the next statement of the session. */
  readonly interrupt: () => Promise<void>;
  /** Gives the session up, at a server that does not answer any more. */
  readonly abandon: () => void;
}

/** Between two orders to end a statement: one that meets the PREPARE before it is lost. Milliseconds. */
const AGAIN_MS = 100;
/** A server that has taken no such order for this long hangs. Milliseconds. */
const HANGS_AFTER_MS = 3_000;

/**
 * Runs a statement on a server and has it ended when its time is up. The session goes on, and with it the transaction:
 * only what the statement did is undone.
 */
export async function withinTime<T>(time: StatementTime, work: Promise<T>, end: StatementEnd): Promise<T> {
  const { timeoutMs, over } = time;
  if (timeoutMs === undefined && over === undefined) return work;
  const settled = new AbortController();
  let late = false;
  const ending = (async () => {
    late = await isLate(time, settled.signal);
    let heardAt = performance.now();
    while (!settled.signal.aborted) {
      if (performance.now() - heardAt > HANGS_AFTER_MS) return end.abandon();
      const heard = () => {
        heardAt = performance.now();
      };
      await end.interrupt().then(heard, () => undefined);
      await pause(AGAIN_MS, settled.signal);
    }
  })();
  try {
    return await work;
  } catch (error: unknown) {
    throw late && timeoutMs !== undefined && coerceError(error).code === 'DB_TX_LOST' ? tookTooLong(timeoutMs) : error;
  } finally {
    settled.abort();
    await ending;
  }
}

/** Waits until the statement is settled or its time is up. @returns true when its own time, not its run's, is. */
function isLate({ timeoutMs, over }: StatementTime, settled: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = (late: boolean): void => {
      clearTimeout(timer);
      over?.removeEventListener('abort', ended);
      resolve(late);
    };
    const ended = (): void => stop(false);
    const timer = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs, true);
    settled.addEventListener('abort', ended);
    over?.addEventListener('abort', ended);
    if (over?.aborted === true || settled.aborted) ended();
  });
}

function pause(ms: number, over: AbortSignal): Promise<void> {
  return sleep(ms, undefined, { signal: over }).catch(() => undefined);
}
