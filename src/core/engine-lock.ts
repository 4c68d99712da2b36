import { bilingual } from './bilingual.ts';
import { isEnabled } from './engine.ts';
import { isJsonObject, type JsonValue } from './json.ts';

/** The lock that an engine's row asks for: runs of one scope happen one after the other, on all hosts. */
export interface EngineLock {
  /** Name of a member of `V8.Param` whose value is the scope; absent: the whole engine is one. */
  readonly param?: string;
}

/** The columns of `sys_apiengine` about its lock, as the database gave them. */
export interface EngineLockRow {
  readonly Lock?: unknown;
  readonly LockKey?: unknown;
}

/** Room of the column `LockKey`. Characters. */
const MAX_LOCK_KEY = 50;

/** Reads them (v8-surface.md 8.1, 8.4). Undefined when `Lock` is off. */
export function readEngineLock({ Lock, LockKey }: EngineLockRow): EngineLock | undefined {
  if (Lock === null || Lock === undefined || !isEnabled(Lock)) return undefined;
  const param = String(LockKey ?? '').trim();
  return param === '' ? {} : { param };
}

/**
 * The scope of a run: the value that `LockKey` names in its parameters, by its own name or, where there is none, as a
 * path with dots (`Message.Message.OrderId`). Text and numbers that read alike are one scope. Undefined where there is
 * no such value: then the whole engine is the scope, because too much order harms less than too little.
 */
export function lockScopeOf({ param }: EngineLock, input: JsonValue): string | undefined {
  if (param === undefined || !isJsonObject(input)) return undefined;
  const value = Object.hasOwn(input, param) ? input[param] : memberAt(param.split('.'), input);
  if (value === undefined || value === null || value === '') return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function memberAt(path: readonly string[], input: JsonValue): JsonValue | undefined {
  let value: JsonValue | undefined = input;
  for (const name of path) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  return value;
}

/** `@lock` or `@lock OrderId`: the column `LockKey`, empty for one lock of the engine. */
export function readLockTag(text: string): { readonly value: string } | { readonly rule: string } {
  const isPath =
    text === '' ||
    (text.length <= MAX_LOCK_KEY && text.split('.').every((name) => /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(name)));
  if (isPath) return { value: text };
  return {
    rule: bilingual(
      `写 V8.Param 中的字段名，嵌套用点分隔，最多 ${MAX_LOCK_KEY} 个字符；不写则整个引擎一把锁`,
      `write the name of a member of V8.Param, nested ones with dots, at most ${MAX_LOCK_KEY} characters; nothing for one lock of the engine`,
    ),
  };
}
