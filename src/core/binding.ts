import { type Backoff, parseBackoff } from './backoff.ts';
import { bilingual, ruleOf } from './bilingual.ts';
import { MAX_PREFETCH, MAX_RETRY_COUNT, MAX_TIMEOUT_SECONDS } from './binding-limits.ts';
import { isEnabled, parseEngineKey } from './engine.ts';
import { accept, type ErrorRecord, type Parsed, refuse } from './errors.ts';
import { parseOrderKey } from './order-key.ts';
import { printable } from './printable.ts';
import { toLogicalQueue, toPhysicalQueue } from './queue-name.ts';
import { moduleKey, parseModuleName } from './trusted-module.ts';

/** A row of `diy_queue_receive`, checked and with every default filled in. */
export interface Binding {
  /** Row Id; empty for a binding not stored yet. */
  readonly id: string;
  readonly logicalQueue: string;
  readonly physicalQueue: string;
  readonly engineKey: string;
  /** FailToReject is exactly `是`. */
  readonly retries: boolean;
  /** Requeues at most; the handler runs at most `retryCount + 1` times. */
  readonly retryCount: number;
  readonly inbox: boolean;
  readonly legacyAck: boolean;
  /** Runs at once. */
  readonly prefetch: number;
  /** Undefined: the host's default. */
  readonly timeoutSeconds: number | undefined;
  readonly backoff: Backoff;
  /** Kind of queue to insist on; absent: the host's default for a new one, and any existing one. */
  readonly queueType?: 'classic' | 'quorum';
  /** Path in the Message; messages whose values there are equal run one after another, in order. Absent: no order. */
  readonly orderKey?: string;
}

/** A row that cannot be bound, and why. */
export interface BindingRefusal {
  readonly id: string;
  readonly queue: string;
  readonly error: ErrorRecord;
}

/** A row as the database gave it: the platform's columns, perhaps without ours, in any case. */
export type BindingRow = Readonly<Record<string, unknown>>;

/** False for a row that somebody switched off; it is neither bound nor checked. */
export function isBindingEnabled(row: BindingRow): boolean {
  return isEnabled(cell(row, 'IsEnable'));
}

/**
 * Checks a row of `diy_queue_receive` (mq-mqtt.md 5.2 and our columns, defaults.md 5). A missing or null column means
 * its default, so a table made by the platform works as it is. A value that cannot be is refused rather than replaced,
 * because a guessed default would acknowledge or repeat messages against the author's will.
 * Refusal: BINDING_INVALID naming queue, field and rule.
 */
export function parseBinding(tenant: string, row: BindingRow): Parsed<Binding> {
  const isModule = integerOf(cell(row, 'Type')) === MODULE_TYPE;
  const columns = readColumns(row, {
    physicalQueue: ['QueueName', (name) => toPhysicalQueue(tenant, name)],
    type: ['Type', parseType],
    engineKey: isModule ? ['DllName', parseModuleKey] : ['ApiEngineKey', parseEngineKey],
    retryCount: ['Count', parseCount],
    inbox: ['Inbox', (value) => parseSwitch(value, true)],
    legacyAck: ['LegacyAck', (value) => parseSwitch(value, false)],
    prefetch: ['Prefetch', (value) => parseNumber(value, 1, 1, MAX_PREFETCH)],
    timeoutSeconds: ['TimeoutSeconds', (value) => parseNumber(value, undefined, 1, MAX_TIMEOUT_SECONDS)],
    backoff: ['Backoff', parseBackoff],
    queueType: ['QueueType', parseQueueType],
    orderKey: ['OrderKey', parseOrderKey],
  });
  if (!columns.ok) return columns;
  const { type: _type, queueType, orderKey, ...settings } = columns.value;
  // A message that comes again after its turn is told from a new one by the inbox alone.
  if (orderKey !== undefined && !settings.inbox) {
    return refuse('BINDING_INVALID', { queue: settings.physicalQueue, field: 'OrderKey', rule: ORDER_NEEDS_INBOX });
  }
  return accept({
    id: String(cell(row, 'Id') ?? ''),
    logicalQueue: toLogicalQueue(settings.physicalQueue),
    retries: cell(row, 'FailToReject') === RETRIES,
    ...settings,
    ...(queueType === undefined ? {} : { queueType }),
    ...(orderKey === undefined ? {} : { orderKey }),
  });
}

/** Also the header's rule. */
export const ORDER_NEEDS_INBOX = bilingual('按键排序需要打开 Inbox', 'ordering by key needs the inbox');

/** Only this exact text enables retries (mq-mqtt.md 4.5). */
const RETRIES = '是';

/** The kind of handler that is an engine. */
const ENGINE_TYPE = 1;
/** The kind that was a server plug-in: a module that the operator registered under the name in `DllName`. */
const MODULE_TYPE = 2;

type ColumnReader = readonly [column: string, parse: (value: unknown) => Parsed<unknown>];

type ColumnValues<Readers> = {
  [Field in keyof Readers]: Readers[Field] extends readonly [string, (value: unknown) => Parsed<infer Value>]
    ? Value
    : never;
};

/** Reads every column; the first refusal wins and is put into the words of BINDING_INVALID. */
function readColumns<const Readers extends Readonly<Record<string, ColumnReader>>>(
  row: BindingRow,
  readers: Readers,
): Parsed<ColumnValues<Readers>> {
  const values: Record<string, unknown> = {};
  for (const [name, [field, parse]] of Object.entries(readers)) {
    const parsed = parse(cell(row, field));
    if (!parsed.ok) {
      const queue = printable(cell(row, 'QueueName'));
      return refuse('BINDING_INVALID', { queue, field, rule: plainRule(parsed.error) });
    }
    values[name] = parsed.value;
  }
  return accept(values as ColumnValues<Readers>);
}

/** PARAM_INVALID only wraps a rule; its own sentence would name the field twice. */
function plainRule(error: ErrorRecord): string {
  return error.code === 'PARAM_INVALID' ? String(error.params.rule) : ruleOf(error);
}

function parseType(value: unknown): Parsed<number> {
  const type = isBlank(value) ? ENGINE_TYPE : integerOf(value);
  if (type === ENGINE_TYPE || type === MODULE_TYPE) return accept(type);
  return broken('只支持 1（接口引擎）和 2（登记的模块）', 'only 1 (engine) and 2 (registered module) are supported');
}

function parseModuleKey(value: unknown): Parsed<string> {
  const name = parseModuleName(value);
  return name.ok ? accept(moduleKey(name.value)) : name;
}

function parseCount(value: unknown): Parsed<number> {
  const count = isBlank(value) ? 0 : integerOf(value);
  if (count === undefined || count > MAX_RETRY_COUNT) {
    return broken(`须为不超过 ${MAX_RETRY_COUNT} 的整数`, `must be a whole number up to ${MAX_RETRY_COUNT}`);
  }
  return accept(Math.max(0, count));
}

function parseNumber<Default extends number | undefined>(
  value: unknown,
  whenBlank: Default,
  from: number,
  to: number,
): Parsed<number | Default> {
  if (isBlank(value)) return accept(whenBlank);
  const number = integerOf(value);
  if (number !== undefined && number >= from && number <= to) return accept(number);
  return broken(`须为 ${from} 到 ${to} 的整数`, `must be a whole number from ${from} to ${to}`);
}

function parseSwitch(value: unknown, whenBlank: boolean): Parsed<boolean> {
  if (isBlank(value)) return accept(whenBlank);
  const text = String(value).trim().toLowerCase();
  if (text === '1' || text === 'true') return accept(true);
  if (text === '0' || text === 'false') return accept(false);
  return broken('须为 1 或 0', 'must be 1 or 0');
}

/** `classic` or `quorum` in any case; blank means neither in particular. Refusal: PARAM_INVALID. */
export function parseQueueType(value: unknown): Parsed<Binding['queueType']> {
  if (isBlank(value)) return accept(undefined);
  const type = String(value).trim().toLowerCase();
  if (type === 'classic' || type === 'quorum') return accept(type);
  return broken('须为 classic 或 quorum', 'must be classic or quorum');
}

/** A number as the drivers give it: number, bigint or text. Undefined when it is no safe integer. */
function integerOf(value: unknown): number | undefined {
  const text = String(value).trim();
  const number = /^-?\d{1,16}(\.0+)?$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

function isBlank(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
}

/** Column names have no case in SQL. */
function cell(row: BindingRow, column: string): unknown {
  if (Object.hasOwn(row, column)) return row[column];
  const lower = column.toLowerCase();
  return Object.entries(row).find(([name]) => name.toLowerCase() === lower)?.[1];
}

function broken(zh: string, en: string): ReturnType<typeof refuse> {
  return refuse('PARAM_INVALID', { field: '', rule: bilingual(zh, en) });
}
