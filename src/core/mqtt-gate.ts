import type { ErrorRecord } from './errors.ts';
import { isJsonObject, type JsonValue } from './json.ts';
import type { RunOutcome } from './run-outcome.ts';
import { judgeCall } from './verdict.ts';

/**
 * What the script of `MessageReceived` decided about a message (mq-mqtt.md 6.8).
 *
 * - `allow`: commit, acknowledge, forward.
 * - `block`: acknowledge, do not forward; `message` is the script's `Msg`.
 * - `fail`: the script threw or broke a limit of its own: as `block`, with another reason.
 * - `transient`: the host could not run it; nothing is decided.
 */
export type GateVerdict =
  | { readonly kind: 'allow' }
  | { readonly kind: 'block'; readonly message: string }
  | { readonly kind: 'fail'; readonly error: ErrorRecord }
  | { readonly kind: 'transient'; readonly error: ErrorRecord };

const ALLOW: GateVerdict = Object.freeze({ kind: 'allow' });

/** Longest reason that goes back to a device. Characters. */
const MAX_REASON = 200;

/** Judges a run of the gate. A result without a `Code` allows, which is the platform's rule, not that of queues. */
export function judgeGate(outcome: RunOutcome, engineKey: string): GateVerdict {
  if (outcome.kind === 'nothing') return ALLOW;
  if (outcome.kind === 'returned') return judgeResult(JSON.parse(outcome.json) as JsonValue);
  const verdict = judgeCall(outcome, engineKey);
  if (verdict.kind === 'success') return ALLOW;
  return { kind: verdict.kind === 'unstarted' ? 'transient' : 'fail', error: verdict.error };
}

/** Only here `Code` is read in any case of its letters (v8-surface.md 1). */
function judgeResult(result: JsonValue): GateVerdict {
  if (!isJsonObject(result)) return ALLOW;
  const name = Object.keys(result).find((key) => key.toLowerCase() === 'code');
  if (name === undefined) return ALLOW;
  const code = result[name];
  if (code === 1 || code === true || (typeof code === 'string' && code.trim() === '1')) return ALLOW;
  const message = Object.entries(result).find(([key]) => key.toLowerCase() === 'msg')?.[1];
  return { kind: 'block', message: typeof message === 'string' ? message.slice(0, MAX_REASON) : '' };
}
