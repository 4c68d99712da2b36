import { bilingual } from './bilingual.ts';
import { accept, type Parsed, refuse } from './errors.ts';
import { isJsonObject, type JsonValue } from './json.ts';

/** Longest path; what the column `OrderKey` holds. */
const MAX_PATH_LENGTH = 100;

/**
 * Reads the path of an order key, such as `OrderId` or `Order.CustomerId`: names of members of the envelope's Message,
 * from the outside in. Blank and absent mean that the messages have no order.
 * Refusal: PARAM_INVALID for the field `OrderKey`.
 */
export function parseOrderKey(value: unknown): Parsed<string | undefined> {
  if (value === undefined || value === null) return accept(undefined);
  const path = typeof value === 'string' ? value.trim() : '-';
  if (path === '') return accept(undefined);
  const isPath =
    path.length <= MAX_PATH_LENGTH && path.split('.').every((name) => /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(name));
  if (isPath) return accept(path);
  const rule = bilingual(
    `写 Message 中的字段名，嵌套用点分隔（例如 OrderId 或 Order.CustomerId），最多 ${MAX_PATH_LENGTH} 个字符`,
    `write the name of a member of Message, nested ones with dots (such as OrderId or Order.CustomerId), at most ${MAX_PATH_LENGTH} characters`,
  );
  return refuse('PARAM_INVALID', { field: 'OrderKey', rule });
}

/**
 * The key of a message by such a path. Text and numbers that read alike are one key. Undefined where the message has
 * no single value there: it has no order then.
 */
export function orderKeyOf(path: string, message: JsonValue): string | undefined {
  let value: JsonValue | undefined = message;
  for (const name of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined;
    value = value[name];
  }
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
