/** V8.Action.Sleep and System.Threading.Thread.Sleep: a wait inside the run. */

import { warnAuthor } from './author-warning.ts';
import { type Call, hostCall } from './host-call.ts';
import { refuseParam } from './param-rules.ts';

export const SLEEP = { 'Action.Sleep': hostCall(sleep) } as const;

/** A longer wait is worth a word to the author: the run keeps its lane, and its transaction its locks. Milliseconds. */
const LONG_WAIT_MS = 1000;

const LONG_WAIT = {
  zh: 'Sleep 期间运行占用沙箱，事务持有锁：等待请改用消息的 @backoff 重试。',
  en: 'While it sleeps a run keeps its lane, and its transaction its locks: to wait, let the message come again (@backoff).',
} as const;

/**
 * A run whose time is up is ended from outside a moment later. A sleep that ended with the time would let its script go
 * on as if it had slept. Milliseconds.
 */
const BEYOND_MS = 5000;

/** Sleep(ms); null. One that is longer than what is left of the run ends with it. */
async function sleep(call: Call): Promise<null> {
  const ms = Number(call.args[0]);
  if (call.args[0] === null || !Number.isFinite(ms) || ms < 0) return refuseParam('ms', 'milliseconds', call.lang);
  if (ms > LONG_WAIT_MS) warnAuthor(call, LONG_WAIT);
  await call.context.clock.sleep(Math.min(ms, call.context.remainingMs() + BEYOND_MS), call.context.signal);
  return null;
}
