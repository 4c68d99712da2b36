/** What scripts pass to digests and ciphers: text, or bytes as a list of numbers from 0 to 255. */
import { AppError } from '../core/errors.ts';
import { isJsonObject, type JsonValue } from '../core/json.ts';
import type { Call } from './host-call.ts';
import { refuseParam } from './param-rules.ts';
import { asText } from './param-values.ts';

/** The argument at `index` as text; null when it is missing, as scripts pass on what a row did not have. */
export function textArgument(call: Call, index: number, name: string): string | null {
  const value = call.args[index];
  if (value === undefined || value === null) return null;
  return asText(value) ?? refuseParam(name, 'scalarText', call.lang);
}

/** The same where nothing can be done without it. @throws AppError PARAM_MISSING when missing or blank. */
export function requiredText(call: Call, index: number, name: string): string {
  const text = textArgument(call, index, name);
  if (text === null || text.trim() === '') throw new AppError('PARAM_MISSING', { field: name });
  return text;
}

/** The argument's bytes: a text's UTF-8, or the bytes given. @throws AppError PARAM_MISSING, PARAM_INVALID. */
export function bytesArgument(call: Call, index: number, name: string): Buffer {
  const value = call.args[index];
  if (value === undefined || value === null) throw new AppError('PARAM_MISSING', { field: name });
  const text = asText(value);
  if (text !== undefined) return Buffer.from(text, 'utf8');
  return Buffer.from(byteList(value) ?? refuseParam(name, 'bytes', call.lang));
}

/** True when the argument is bytes and not text. */
export function isByteArgument(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && asText(value) === undefined;
}

/** A list of bytes, or what JSON makes of a Uint8Array: an object with the keys 0, 1, 2 and so on. */
function byteList(value: JsonValue): readonly number[] | undefined {
  const values = isJsonObject(value) ? Object.values(value) : value;
  if (isJsonObject(value) && !Object.keys(value).every((key, position) => key === String(position))) return undefined;
  return Array.isArray(values) && values.every(isByte) ? values : undefined;
}

function isByte(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255;
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Bytes of a standard Base64 text, line breaks and spaces allowed; undefined for anything else. */
export function decodeBase64(text: string): Buffer | undefined {
  const packed = text.replace(/[ \t\r\n]/g, '');
  return BASE64.test(packed) ? Buffer.from(packed, 'base64') : undefined;
}
