import { ERROR_TABLE } from '../../core/error-table.ts';
import { isJsonObject } from '../../core/json.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * What a lane may say of a run's end, by kind, and whether its fields are what the host goes on with. That a run
 * crashed or never began is the host's to tell: a lane that said so would have its run repeated without being counted.
 */
const SHAPES: ReadonlyMap<unknown, (outcome: Fields) => boolean> = new Map([
  ['returned', () => true],
  ['nothing', () => true],
  ['compiled', () => true],
  ['unwritable', (outcome: Fields) => typeof outcome.message === 'string'],
  ['threw', (outcome: Fields) => isScriptError(outcome.error)],
  ['syntax', (outcome: Fields) => isPosition(outcome.at) && typeof outcome.message === 'string'],
  ['limit', (outcome: Fields) => isErrorRecord(outcome.error)],
]);

/** Whether the host can take this for the end of a run, as far as a lane may tell it. */
export function isLaneOutcome(outcome: Fields): boolean {
  return SHAPES.get(outcome.kind)?.(outcome) === true;
}

function isScriptError(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { name, message, stack, at } = value;
  if (typeof name !== 'string' || typeof message !== 'string') return false;
  if (at !== undefined && !isPosition(at)) return false;
  return Array.isArray(stack) && stack.every((line) => typeof line === 'string');
}

function isPosition(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  return typeof value.file === 'string' && typeof value.line === 'number' && typeof value.column === 'number';
}

function isErrorRecord(value: unknown): boolean {
  if (!isJsonObject(value) || typeof value.code !== 'string' || !isJsonObject(value.params)) return false;
  const params = Object.values(value.params);
  return Object.hasOwn(ERROR_TABLE, value.code) && params.every((each) => ['string', 'number'].includes(typeof each));
}
