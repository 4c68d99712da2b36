import assert from 'node:assert/strict';
import type { ErrorRecord, Parsed } from '../../src/core/errors.ts';

/** The accepted value; fails the test with the refusal otherwise. */
export function accepted<T>(parsed: Parsed<T>): T {
  if (parsed.ok) return parsed.value;
  assert.fail(`refused: ${JSON.stringify(parsed.error)}`);
}

/** The refusal; fails the test with the accepted value otherwise. */
export function refused(parsed: Parsed<unknown>): ErrorRecord {
  if (!parsed.ok) return parsed.error;
  assert.fail(`accepted: ${JSON.stringify(parsed.value)}`);
}
