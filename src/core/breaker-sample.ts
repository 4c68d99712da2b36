import type { CircuitSample } from './circuit.ts';
import type { ErrorCode } from './errors.ts';

/** Failed runs that say: something outside the message is slow or away. */
const TROUBLE: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['V8_TIMEOUT', 'V8_HOST_CALL_RATE']);

/** Failures that a script chose by itself: it works, and its dependencies do. */
const CHOSEN: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['SCRIPT_REFUSED']);

/**
 * What a run of a message says about its binding. An explicit `Code: 0` is a verdict about the message, unless a
 * dependency failed under it: then the message is not to blame.
 * @param code of the failed run; undefined when it succeeded.
 * @param dependencyFailed a host call of the run found its server away, out of time or answering 5xx.
 */
export function breakerSample(code: ErrorCode | undefined, dependencyFailed: boolean): CircuitSample {
  if (code === undefined) return 'good';
  if (dependencyFailed || TROUBLE.has(code)) return 'trouble';
  return CHOSEN.has(code) ? 'good' : 'fault';
}
