import { type Backoff, parseBackoff } from './backoff.ts';
import { bilingual, ruleOf } from './bilingual.ts';
import { type Binding, ORDER_NEEDS_INBOX, parseQueueType } from './binding.ts';
import { MAX_PREFETCH, MAX_RETRY_COUNT, MAX_TIMEOUT_SECONDS } from './binding-limits.ts';
import { parseDuration } from './duration.ts';
import { parseEngineKey } from './engine.ts';
import { readLockTag } from './engine-lock.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { type HeaderEntry, readAddress, readResponse, readRoles } from './header-entry.ts';
import { parseOrderKey } from './order-key.ts';
import { printable } from './printable.ts';
import { parseLogicalQueue } from './queue-name.ts';

/** What a script file says about itself in its header block (defaults.md 4). */
export interface EngineHeader {
  readonly engineKey: string;
  readonly apiName: string;
  /** Logical names; one binding each. */
  readonly queues: readonly string[];
  /** Requeues after a failed run; 0 means FailToReject is off. */
  readonly retryCount: number;
  /** Undefined: the host's default. */
  readonly timeoutSeconds: number | undefined;
  readonly backoff: Backoff | undefined;
  readonly prefetch: number | undefined;
  readonly inbox: boolean;
  readonly legacyAck: boolean;
  /** About calls over HTTP and its lock. */
  readonly entry: HeaderEntry;
  readonly queueType: Binding['queueType'];
  readonly orderKey: string | undefined;
}

/**
 * Reads the header block: the `/** … *\/` at the top of a `.js` file, its lines `* @tag value`. Other lines are prose.
 * Everything has a default, so a file without a block is an engine that no queue calls.
 *
 * Refusal: HEADER_INVALID with file, line and rule, for an unknown tag, a bad value, and a tag that occurs twice.
 * @param file the file's name; without `.js` it is the default `@engineKey`.
 */
export function parseEngineHeader(file: string, source: string): Parsed<EngineHeader> {
  const draft: Draft = { queues: [] };
  const seen = new Set<string>();
  const tags = readTags(source);
  for (const { name, value, line } of tags) {
    const rule = applyTag(draft, seen, name, value);
    if (rule !== undefined) return refuse('HEADER_INVALID', { file, line, rule });
  }
  const idle = draft.queues.length === 0 ? tags.find(({ name }) => !ENGINE_TAGS.has(name)) : undefined;
  if (idle !== undefined) return refuse('HEADER_INVALID', { file, line: idle.line, rule: withoutQueue(idle.name) });
  if (draft.orderKey !== undefined && draft.inbox === false) {
    const line = tags.find(({ name }) => name === 'orderKey')?.line ?? 1;
    return refuse('HEADER_INVALID', { file, line, rule: `@orderKey: ${ORDER_NEEDS_INBOX}` });
  }
  const engineKey = parseEngineKey(draft.engineKey ?? baseName(file));
  if (!engineKey.ok) return refuse('HEADER_INVALID', { file, line: 1, rule: `@engineKey: ${ruleOf(engineKey.error)}` });
  return accept(complete(draft, engineKey.value));
}

type Draft = { -readonly [Field in keyof EngineHeader]?: EngineHeader[Field] } & { queues: readonly string[] };

function complete(draft: Draft, engineKey: string): EngineHeader {
  return {
    engineKey,
    apiName: draft.apiName ?? engineKey,
    queues: draft.queues,
    retryCount: draft.retryCount ?? 0,
    timeoutSeconds: draft.timeoutSeconds,
    backoff: draft.backoff,
    prefetch: draft.prefetch,
    inbox: draft.inbox ?? true,
    legacyAck: draft.legacyAck ?? false,
    entry: draft.entry ?? {},
    queueType: draft.queueType,
    orderKey: draft.orderKey,
  };
}

interface Tag {
  readonly name: string;
  readonly value: string;
  /** Line in the file, from 1. */
  readonly line: number;
}

/**
 * Only other comments and a directive may stand before it: a doc comment further down describes a function, not the
 * engine.
 */
const HEADER_BLOCK =
  /^(?<before>\uFEFF?(?:\s|\/\/[^\n]*\n|\/\*(?!\*)[\s\S]*?\*\/|['"]use strict['"];?)*)\/\*\*(?!\/)(?<block>[\s\S]*?)\*\//;

function readTags(source: string): readonly Tag[] {
  const { before, block } = HEADER_BLOCK.exec(source)?.groups ?? {};
  if (before === undefined || block === undefined) return [];
  const firstLine = before.split('\n').length;
  return block.split('\n').flatMap((text, offset) => {
    const tag = /^\s*(?:\*\s*)?@(\S*)\s*(.*)$/.exec(text.trimEnd());
    return tag === null ? [] : [{ name: tag[1] ?? '', value: tag[2] ?? '', line: firstLine + offset }];
  });
}

/** Writes a tag's value into the draft. @returns the rule it breaks, if any. */
type ApplyTag = (draft: Draft, value: string) => string | undefined;

const TAGS: ReadonlyMap<string, ApplyTag> = new Map<string, ApplyTag>([
  ['engineKey', setEngineKey],
  ['apiName', setApiName],
  ['queue', addQueue],
  ['retry', setRetry],
  ['timeout', setTimeoutSeconds],
  ['backoff', setBackoff],
  ['prefetch', setPrefetch],
  ['inbox', (draft, value) => setSwitch(value, (on) => (draft.inbox = on))],
  ['anonymous', (draft, value) => setSwitch(value, (anonymous) => addEntry(draft, { anonymous }))],
  ['stopHttp', (draft, value) => setSwitch(value, (stopHttp) => addEntry(draft, { stopHttp }))],
  ['response', (draft, value) => setEntry(readResponse(value), (response) => addEntry(draft, { response }))],
  ['roles', (draft, value) => setEntry(readRoles(value), (roles) => addEntry(draft, { roles }))],
  ['address', (draft, value) => setEntry(readAddress(value), (address) => addEntry(draft, { address }))],
  ['lock', (draft, value) => setEntry(readLockTag(value), (lock) => addEntry(draft, { lock }))],
  ['legacyAck', (draft, value) => setSwitch(value, (on) => (draft.legacyAck = on))],
  ['queueType', setQueueType],
  ['orderKey', setOrderKey],
]);

const REPEATABLE = 'queue';

/** Tags that say something about an engine also when no queue calls it; the others set up its bindings. */
const ENGINE_TAGS: ReadonlySet<string> = new Set([
  ...['engineKey', 'apiName'],
  ...['anonymous', 'stopHttp', 'response', 'roles', 'address', 'lock'],
]);

/** A tag that would silently do nothing is refused: its author counts on it. */
function withoutQueue(name: string): string {
  return bilingual(
    `@${name} 需要同时写 @queue，它只对队列消息生效`,
    `@${name} needs @queue: it is about messages of a queue`,
  );
}

function applyTag(draft: Draft, seen: Set<string>, name: string, value: string): string | undefined {
  const apply = TAGS.get(name);
  if (apply === undefined) {
    const known = [...TAGS.keys()].map((tag) => `@${tag}`).join(' ');
    return bilingual(
      `未知标签 @${printable(name)}，可用 ${known}`,
      `unknown tag @${printable(name)}, use one of these`,
    );
  }
  if (seen.has(name) && name !== REPEATABLE) return bilingual(`@${name} 只能写一次`, `@${name} is allowed once`);
  seen.add(name);
  const rule = apply(draft, value);
  return rule === undefined ? undefined : `@${name}: ${rule}`;
}

function setEngineKey(draft: Draft, value: string): string | undefined {
  const key = parseEngineKey(value);
  if (!key.ok) return ruleOf(key.error);
  draft.engineKey = key.value;
  return undefined;
}

function setApiName(draft: Draft, value: string): string | undefined {
  if (value === '') return bilingual('缺少名称', 'the name is missing');
  draft.apiName = value;
  return undefined;
}

function addQueue(draft: Draft, value: string): string | undefined {
  const queue = parseLogicalQueue(value);
  if (!queue.ok) return ruleOf(queue.error);
  if (draft.queues.includes(queue.value)) return bilingual('队列重复', 'the queue is named twice');
  draft.queues = [...draft.queues, queue.value];
  return undefined;
}

function setRetry(draft: Draft, value: string): string | undefined {
  const count = wholeNumber(value, 0, MAX_RETRY_COUNT);
  if (count === undefined)
    return bilingual(`须为 0 到 ${MAX_RETRY_COUNT} 的整数`, `a whole number from 0 to ${MAX_RETRY_COUNT}`);
  draft.retryCount = count;
  return undefined;
}

function setPrefetch(draft: Draft, value: string): string | undefined {
  const prefetch = wholeNumber(value, 1, MAX_PREFETCH);
  if (prefetch === undefined)
    return bilingual(`须为 1 到 ${MAX_PREFETCH} 的整数`, `a whole number from 1 to ${MAX_PREFETCH}`);
  draft.prefetch = prefetch;
  return undefined;
}

function setTimeoutSeconds(draft: Draft, value: string): string | undefined {
  const ms = /^\d+(s|m)$/i.test(value) ? parseDuration(value) : undefined;
  if (ms === undefined || ms < 1000 || ms > MAX_TIMEOUT_SECONDS * 1000) {
    return bilingual(
      `写 30s 或 2m，1 到 ${MAX_TIMEOUT_SECONDS} 秒`,
      `write 30s or 2m, from 1 to ${MAX_TIMEOUT_SECONDS} seconds`,
    );
  }
  draft.timeoutSeconds = ms / 1000;
  return undefined;
}

function setBackoff(draft: Draft, value: string): string | undefined {
  const backoff = parseBackoff(value);
  if (!backoff.ok) return String(backoff.error.params.rule);
  draft.backoff = backoff.value;
  return undefined;
}

function addEntry(draft: Draft, part: HeaderEntry): void {
  draft.entry = { ...draft.entry, ...part };
}

function setEntry<T>(
  read: { readonly value: T } | { readonly rule: string },
  set: (value: T) => void,
): string | undefined {
  if ('rule' in read) return read.rule;
  set(read.value);
  return undefined;
}

function setQueueType(draft: Draft, value: string): string | undefined {
  const type = parseQueueType(value);
  if (!type.ok) return String(type.error.params.rule);
  if (type.value === undefined) return bilingual('须为 classic 或 quorum', 'must be classic or quorum');
  draft.queueType = type.value;
  return undefined;
}

function setOrderKey(draft: Draft, value: string): string | undefined {
  const path = parseOrderKey(value);
  if (!path.ok) return String(path.error.params.rule);
  if (path.value === undefined) return bilingual('缺少字段名', 'the name of the member is missing');
  draft.orderKey = path.value;
  return undefined;
}

/** A tag alone switches on. */
function setSwitch(value: string, set: (on: boolean) => void): string | undefined {
  const word = value.toLowerCase();
  if (word !== '' && word !== 'on' && word !== 'off') return bilingual('写 on 或 off', 'write on or off');
  set(word !== 'off');
  return undefined;
}

function wholeNumber(text: string, from: number, to: number): number | undefined {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
  return value >= from && value <= to ? value : undefined;
}

function baseName(file: string): string {
  return (file.split(/[\\/]/).at(-1) ?? '').replace(/\.js$/i, '');
}
