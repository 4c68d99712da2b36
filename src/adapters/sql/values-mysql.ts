import mysql, { type TypeCast } from 'mysql2';
import { AppError } from '../../core/errors.ts';

type Cast = Exclude<TypeCast, boolean>;

/** Significant digits of a FLOAT as the server itself prints it. */
const FLOAT_DIGITS = 6;

/**
 * Cells as the host and scripts see them (defaults.md 7): an integer or decimal that a number cannot hold exactly is
 * text, dates are text (option `dateStrings`), bit(n) is a number.
 */
export const castCell: Cast = (field, next) => {
  switch (field.type) {
    case 'NEWDECIMAL':
    case 'DECIMAL':
      return exactNumber(field.string('ascii'));
    case 'BIT':
      return bitsToNumber(field.buffer());
    case 'FLOAT':
      return shortFloat(next());
    case 'GEOMETRY':
      return plainBytes(field.buffer());
    case 'TINY_BLOB':
    case 'MEDIUM_BLOB':
    case 'LONG_BLOB':
    case 'BLOB':
    case 'STRING':
    case 'VAR_STRING':
      return plainBytes(next());
    default:
      return next();
  }
};

function exactNumber(text: string | null): number | string | null {
  if (text === null) return null;
  const number = Number(text);
  return plainDecimal(String(number)) === plainDecimal(text) ? number : text;
}

/** Without zeros that change nothing: `007.50` and `7.5` are one value. */
function plainDecimal(text: string): string {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)0*(\d+)(?:\.(\d*?)0*)?$/.exec(text) ?? [];
  if (whole === '') return text;
  return `${whole === '0' && fraction === '' ? '' : sign}${whole}.${fraction}`;
}

function bitsToNumber(bytes: Buffer | null): number | string | null {
  if (bytes === null) return null;
  const bits = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
  const number = Number(bits);
  return Number.isSafeInteger(number) ? number : String(bits);
}

/** Text columns have these types, too, and come as text. */
function plainBytes(value: unknown): unknown {
  return Buffer.isBuffer(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : value;
}

function shortFloat(value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(FLOAT_DIGITS)) : value;
}

/** A value as the driver binds it: integers as integers, because a LIMIT and a bit column refuse a double. */
export function toBindable(value: unknown): unknown {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'boolean') return mysql.TypedParameter.LONGLONG(value ? 1 : 0);
  if (typeof value === 'bigint' || Number.isSafeInteger(value))
    return mysql.TypedParameter.LONGLONG(value as number | bigint);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (value instanceof Uint8Array) return asBuffer(value);
  throw new AppError('PARAM_INVALID', {
    field: 'value',
    rule: 'only text, finite numbers, booleans and null can be stored',
  });
}

/** A value as the driver writes it into the text of a statement of the host. */
export function toLiteral(value: unknown): unknown {
  return value instanceof Uint8Array ? asBuffer(value) : value;
}

/** Bytes that a value takes in a packet, roughly. */
export function sizeOf(value: unknown): number {
  if (value instanceof Uint8Array) return 2 * value.byteLength;
  return typeof value === 'string' ? 2 * value.length : 8;
}

/** Above this a text is measured, below its length is near enough. */
const MEASURED_LENGTH = 65_536;

/** Bytes of a bound value. */
export function wireSize(value: unknown): number {
  if (value instanceof Uint8Array) return value.byteLength;
  if (typeof value !== 'string') return 8;
  return value.length > MEASURED_LENGTH ? Buffer.byteLength(value) : value.length;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
