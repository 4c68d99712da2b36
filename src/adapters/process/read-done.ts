import { isJsonObject } from '../../core/json.ts';
import { findTooDeep } from '../../core/json-scan.ts';
import { MAX_JSON_DEPTH, type RunLimits } from '../../core/run-limits.ts';
import type { RunOutcome } from '../../core/run-outcome.ts';
import { splitDoneText } from '../../protocol/done-text.ts';
import type { LaneDone } from '../../protocol/messages.ts';
import { dropProtoKeys } from './drop-proto-keys.ts';
import { isLaneOutcome } from './lane-outcome.ts';
import { ProtocolBreach } from './protocol-breach.ts';

/** Longest head of an end. What a lane cuts by itself stays far below. */
const MAX_HEAD_CHARS = 256 * 1024;

/** Warnings of one run that are passed on, and the length of each. */
const MAX_WARNINGS = 20;
const MAX_WARNING_CHARS = 1000;

/** Shorter text cannot open more than MAX_JSON_DEPTH brackets and close them. */
const SURELY_SHALLOW_BYTES = 2 * MAX_JSON_DEPTH;

/** Reads the end of a run or a compilation. @throws ProtocolBreach */
export function readDone(text: string): LaneDone {
  const { head, json } = takeApart(text);
  const { warnings = [], ...outcome } = head;
  if (!isLaneOutcome(outcome)) throw new ProtocolBreach('an outcome is not one that a lane can tell');
  if (!Array.isArray(warnings)) throw new ProtocolBreach('the warnings of a run are no list');
  return {
    outcome: (outcome.kind === 'returned' ? { kind: 'returned', json } : outcome) as unknown as LaneDone['outcome'],
    warnings: warnings.slice(0, MAX_WARNINGS).map((warning) => String(warning).slice(0, MAX_WARNING_CHARS)),
  };
}

/** Holds an outcome to what the host allows, whatever the lane has let through. @throws ProtocolBreach */
export function checkOutcome(outcome: LaneDone['outcome'], limits: RunLimits): RunOutcome {
  if (outcome.kind === 'compiled') throw new ProtocolBreach('a run ended as a compilation');
  if (outcome.kind !== 'returned') return outcome;
  const size = Buffer.byteLength(outcome.json);
  const limit = limits.resultBytes;
  if (size > limit) {
    return { kind: 'limit', error: { code: 'V8_RESULT_TOO_LARGE', params: { what: 'return', size, limit } } };
  }
  if (size > SURELY_SHALLOW_BYTES && findTooDeep(outcome.json, MAX_JSON_DEPTH) !== undefined) {
    return { kind: 'limit', error: { code: 'V8_RESULT_TOO_DEEP', params: { limit: MAX_JSON_DEPTH } } };
  }
  return { kind: 'returned', json: dropProtoKeys(outcome.json) };
}

function takeApart(text: string): { head: Record<string, unknown>; json: string } {
  const end = text.indexOf('\n');
  if (end > MAX_HEAD_CHARS) throw new ProtocolBreach('the end of a run is too long');
  try {
    const { head, json } = splitDoneText(text);
    if (isJsonObject(head)) return { head, json };
  } catch {
    // Falls through to the breach: the lane writes every head with JSON.stringify.
  }
  throw new ProtocolBreach('the end of a run is not JSON');
}
