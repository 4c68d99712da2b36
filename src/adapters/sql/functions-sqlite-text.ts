import { createHash, randomUUID } from 'node:crypto';
import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { MAX_MADE_TEXT, numberOf, type SqlFunction, textOf, toSql } from './function-values-sqlite.ts';

type Values = readonly SQLOutputValue[];

/** A function of texts that is NULL when one of its arguments is. */
function ofTexts(compute: (...texts: string[]) => SQLInputValue): SqlFunction {
  return (_clock, ...values) => {
    const texts = values.map(textOf);
    return texts.includes(undefined) ? null : limited(compute(...(texts as string[])));
  };
}

function limited(value: SQLInputValue): SQLInputValue {
  return typeof value === 'string' && value.length > MAX_MADE_TEXT ? null : value;
}

const characters = (text: string): string[] => [...text];

/** MySQL compares texts without regard to case. */
const folded = (text: string): string => text.toLowerCase();

function pad(text: string, length: number, filler: string, atStart: boolean): SQLInputValue {
  const own = characters(text);
  if (length < 0 || length > MAX_MADE_TEXT) return null;
  if (own.length >= length) return own.slice(0, length).join('');
  if (filler === '') return '';
  const missing = length - own.length;
  const filling = characters(filler.repeat(Math.ceil(missing / characters(filler).length)))
    .slice(0, missing)
    .join('');
  return atStart ? filling + text : text + filling;
}

function locate(part: string, text: string, from = '1'): SQLInputValue {
  const start = Number(from);
  if (start < 1) return 0n;
  const skipped = characters(text)
    .slice(0, start - 1)
    .join('').length;
  const at = folded(text).indexOf(folded(part), skipped);
  return at === -1 ? 0n : BigInt(characters(text.slice(0, at)).length + 1);
}

function substringIndex(text: string, separator: string, count: string): string {
  const number = Number(count);
  if (separator === '' || number === 0) return '';
  const parts = text.split(separator);
  return (number > 0 ? parts.slice(0, number) : parts.slice(number)).join(separator);
}

function repeat(text: string, count: string): SQLInputValue {
  const times = Math.max(0, Math.trunc(Number(count)));
  return times * text.length > MAX_MADE_TEXT ? null : text.repeat(times);
}

function insertText(text: string, position: string, length: string, part: string): string {
  const own = characters(text);
  const start = Number(position);
  if (start < 1 || start > own.length) return text;
  const removed = Number(length) < 0 ? own.length : Number(length);
  return own.slice(0, start - 1).join('') + part + own.slice(start - 1 + removed).join('');
}

/** `FORMAT(1234.5, 2)` is `1,234.50`. */
function formatNumber(value: string, digits: string): string {
  const fixed = Number(value).toFixed(Math.min(30, Math.max(0, Number(digits))));
  return fixed.replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');
}

function truncate(value: number, digits: number): number {
  const factor = 10 ** digits;
  return Math.trunc(value * factor) / factor;
}

function digest(algorithm: string): SqlFunction {
  return ofTexts((text) => createHash(algorithm).update(text).digest('hex'));
}

const SHA2: Readonly<Record<string, string>> = {
  0: 'sha256',
  224: 'sha224',
  256: 'sha256',
  384: 'sha384',
  512: 'sha512',
};

/** The extreme of its arguments; texts are compared as texts when one of them is none. */
function extreme(sign: 1 | -1): SqlFunction {
  return (_clock, ...values) => {
    if (values.length === 0 || values.includes(null)) return null;
    const areNumbers = values.every((value) => typeof value === 'number' || typeof value === 'bigint');
    const compare = (a: SQLOutputValue, b: SQLOutputValue) =>
      areNumbers ? Number(a) - Number(b) : folded(String(a)) < folded(String(b)) ? -1 : 1;
    return [...values].sort((a, b) => sign * compare(a, b)).at(-1) ?? null;
  };
}

function field(_clock: unknown, wanted: SQLOutputValue = null, ...list: Values): SQLInputValue {
  if (wanted === null) return 0n;
  return BigInt(list.findIndex((each) => each !== null && folded(String(each)) === folded(String(wanted))) + 1);
}

/** Text and number functions of MySQL, by the name they are called with after rewrite-sqlite.ts. */
export const TEXT_FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  // SQLite's own leaves NULL out.
  concat: ofTexts((...texts) => texts.join('')),
  left: ofTexts((text, length) =>
    characters(text)
      .slice(0, Math.max(0, Number(length)))
      .join(''),
  ),
  right: ofTexts((text, length) => (Number(length) > 0 ? characters(text).slice(-Number(length)).join('') : '')),
  lpad: ofTexts((text, length, filler = ' ') => pad(text, Number(length), filler, true)),
  rpad: ofTexts((text, length, filler = ' ') => pad(text, Number(length), filler, false)),
  reverse: ofTexts((text) => characters(text).reverse().join('')),
  repeat: ofTexts(repeat),
  space: ofTexts((count) => repeat(' ', count)),
  locate: ofTexts(locate),
  substring_index: ofTexts(substringIndex),
  insert: ofTexts(insertText),
  find_in_set: ofTexts((part, list) =>
    BigInt(list === '' ? 0 : list.split(',').findIndex((each) => folded(each) === folded(part)) + 1),
  ),
  strcmp: ofTexts((a, b) => BigInt(folded(a) === folded(b) ? 0 : folded(a) < folded(b) ? -1 : 1)),
  format_number: ofTexts(formatNumber),
  md5: digest('md5'),
  sha: digest('sha1'),
  sha1: digest('sha1'),
  sha2: ofTexts((text, bits) => {
    const algorithm = SHA2[bits];
    return algorithm === undefined ? null : createHash(algorithm).update(text).digest('hex');
  }),
  to_base64: ofTexts((text) => Buffer.from(text).toString('base64')),
  json_unquote: ofTexts((text) => (/^".*"$/s.test(text) ? unquoted(text) : text)),
  uuid: () => randomUUID(),
  database: () => 'main',
  rand: () => Math.random(),
  isnull: (_clock, value) => (value === null ? 1n : 0n),
  elt: (_clock, index, ...list) => list[(numberOf(index) ?? 0) - 1] ?? null,
  field,
  greatest: extreme(1),
  least: extreme(-1),
  truncate: (_clock, value, digits) => {
    const [number, places] = [numberOf(value), numberOf(digits)];
    return number === undefined || places === undefined ? null : toSql(truncate(number, places));
  },
};

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    // No JSON text: MySQL would refuse it, and the text itself says more than NULL.
    return text;
  }
}
