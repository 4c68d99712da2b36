import type { SQLInputValue, SQLOutputValue } from 'node:sqlite';
import { type LocalClock, numberOf, type SqlFunction, textOf, toSql } from './function-values-sqlite.ts';

/** Wall-clock time without a zone, kept as if it were UTC. */
type Wall = Date;

const TEXT = /^\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,6}))?)?)?/;

/** Reads a date, with a time or without. Undefined for NULL and for what is no date, as MySQL gives NULL. */
function wallOf(value: SQLOutputValue | undefined): Wall | undefined {
  const [whole, year, month, day, hour = 0, minute = 0, second = 0, fraction = ''] =
    TEXT.exec(textOf(value) ?? '') ?? [];
  if (whole === undefined) return undefined;
  const millis = Number(fraction.padEnd(3, '0').slice(0, 3));
  const fields = [Number(year), Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)] as const;
  const wall = new Date(Date.UTC(...fields, millis));
  const isReal =
    wall.getUTCMonth() === fields[1] && wall.getUTCDate() === fields[2] && fields[3] < 24 && fields[4] < 60;
  return isReal ? wall : undefined;
}

const two = (number: number): string => String(number).padStart(2, '0');

const dateText = (wall: Wall): string =>
  `${String(wall.getUTCFullYear()).padStart(4, '0')}-${two(wall.getUTCMonth() + 1)}-${two(wall.getUTCDate())}`;

const timeText = (wall: Wall): string =>
  `${two(wall.getUTCHours())}:${two(wall.getUTCMinutes())}:${two(wall.getUTCSeconds())}`;

const fullText = (wall: Wall): string => `${dateText(wall)} ${timeText(wall)}`;

/** Midnight alone is a date to MySQL when the value had no time. */
function sameShape(wall: Wall, value: SQLOutputValue | undefined, unit: string): string {
  const hadTime = (textOf(value) ?? '').includes(':');
  return hadTime || ['hour', 'minute', 'second', 'microsecond'].includes(unit) ? fullText(wall) : dateText(wall);
}

const now = (clock: LocalClock): string => clock.localText(clock.now());

/** A part of a date as a number. */
function part(compute: (wall: Wall) => number): SqlFunction {
  return (_clock, value) => {
    const wall = wallOf(value);
    return wall === undefined ? null : toSql(compute(wall));
  };
}

function textPart(compute: (wall: Wall) => string): SqlFunction {
  return (_clock, value) => {
    const wall = wallOf(value);
    return wall === undefined ? null : compute(wall);
  };
}

const DAY_MS = 86_400_000;
const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const MONTHS = 'January February March April May June July August September October November December'.split(' ');

const at = (list: readonly string[], index: number): string => list[index] ?? '';

function dayOfYear(wall: Wall): number {
  return Math.floor((wall.getTime() - Date.UTC(wall.getUTCFullYear(), 0, 1)) / DAY_MS) + 1;
}

/** WEEK in MySQL's default mode: Sunday first, days before the first Sunday are week 0. */
function weekFromSunday(wall: Wall): number {
  return Math.floor((dayOfYear(wall) + 6 - wall.getUTCDay()) / 7);
}

/** The week of ISO 8601, which WEEKOFYEAR counts. */
function isoWeek(wall: Wall): number {
  const thursday = new Date(wall.getTime() + (3 - ((wall.getUTCDay() + 6) % 7)) * DAY_MS);
  return Math.floor((dayOfYear(thursday) - 1) / 7) + 1;
}

const PARTS: Readonly<Record<string, (wall: Wall) => number>> = {
  year: (wall) => wall.getUTCFullYear(),
  quarter: (wall) => Math.floor(wall.getUTCMonth() / 3) + 1,
  month: (wall) => wall.getUTCMonth() + 1,
  week: weekFromSunday,
  day: (wall) => wall.getUTCDate(),
  hour: (wall) => wall.getUTCHours(),
  minute: (wall) => wall.getUTCMinutes(),
  second: (wall) => wall.getUTCSeconds(),
};

const MILLIS: Readonly<Record<string, number>> = {
  microsecond: 0.001,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: DAY_MS,
  week: 7 * DAY_MS,
};
const MONTHS_OF: Readonly<Record<string, number>> = { month: 1, quarter: 3, year: 12 };

/** Months stop at the end of the month, as in MySQL: 31 January and one month is 28 or 29 February. */
function add(wall: Wall, amount: number, unit: string): Wall | undefined {
  const millis = MILLIS[unit];
  if (millis !== undefined) return new Date(wall.getTime() + Math.round(amount) * millis);
  const months = MONTHS_OF[unit];
  if (months === undefined) return undefined;
  const moved = new Date(wall.getTime());
  moved.setUTCDate(1);
  moved.setUTCMonth(moved.getUTCMonth() + Math.round(amount) * months);
  const last = new Date(Date.UTC(moved.getUTCFullYear(), moved.getUTCMonth() + 1, 0)).getUTCDate();
  moved.setUTCDate(Math.min(wall.getUTCDate(), last));
  return moved;
}

function shift(sign: 1 | -1): SqlFunction {
  return (_clock, value, amount, unit = 'day') => {
    const [wall, count] = [wallOf(value), numberOf(amount)];
    const name = textOf(unit) ?? '';
    const moved = wall === undefined || count === undefined ? undefined : add(wall, sign * count, name);
    return moved === undefined || Number.isNaN(moved.getTime()) ? null : sameShape(moved, value, name);
  };
}

function difference(unit: string, from: Wall, to: Wall): number | undefined {
  const millis = MILLIS[unit];
  if (millis !== undefined) return Math.trunc((to.getTime() - from.getTime()) / millis);
  const size = MONTHS_OF[unit];
  if (size === undefined) return undefined;
  const [early, late, sign] = from.getTime() <= to.getTime() ? [from, to, 1] : [to, from, -1];
  const years = late.getUTCFullYear() - early.getUTCFullYear();
  const months = years * 12 + late.getUTCMonth() - early.getUTCMonth();
  const rest = (wall: Wall) => wall.getUTCDate() * DAY_MS + (wall.getTime() % DAY_MS);
  const whole = rest(late) < rest(early) ? months - 1 : months;
  return sign * Math.trunc(whole / size);
}

const FORMATS: Readonly<Record<string, (wall: Wall) => string>> = {
  Y: (wall) => String(wall.getUTCFullYear()).padStart(4, '0'),
  y: (wall) => two(wall.getUTCFullYear() % 100),
  m: (wall) => two(wall.getUTCMonth() + 1),
  c: (wall) => String(wall.getUTCMonth() + 1),
  d: (wall) => two(wall.getUTCDate()),
  e: (wall) => String(wall.getUTCDate()),
  H: (wall) => two(wall.getUTCHours()),
  k: (wall) => String(wall.getUTCHours()),
  h: (wall) => two(wall.getUTCHours() % 12 || 12),
  I: (wall) => two(wall.getUTCHours() % 12 || 12),
  l: (wall) => String(wall.getUTCHours() % 12 || 12),
  i: (wall) => two(wall.getUTCMinutes()),
  s: (wall) => two(wall.getUTCSeconds()),
  S: (wall) => two(wall.getUTCSeconds()),
  f: (wall) => `${String(wall.getUTCMilliseconds()).padStart(3, '0')}000`,
  p: (wall) => (wall.getUTCHours() < 12 ? 'AM' : 'PM'),
  T: timeText,
  r: (wall) =>
    `${two(wall.getUTCHours() % 12 || 12)}:${two(wall.getUTCMinutes())}:${two(wall.getUTCSeconds())} ${wall.getUTCHours() < 12 ? 'AM' : 'PM'}`,
  W: (wall) => at(DAYS, wall.getUTCDay()),
  a: (wall) => at(DAYS, wall.getUTCDay()).slice(0, 3),
  w: (wall) => String(wall.getUTCDay()),
  M: (wall) => at(MONTHS, wall.getUTCMonth()),
  b: (wall) => at(MONTHS, wall.getUTCMonth()).slice(0, 3),
  j: (wall) => String(dayOfYear(wall)).padStart(3, '0'),
  U: (wall) => two(weekFromSunday(wall)),
  v: (wall) => two(isoWeek(wall)),
};

const formatted: SqlFunction = (_clock, value, format) => {
  const [wall, pattern] = [wallOf(value), textOf(format)];
  if (wall === undefined || pattern === undefined) return null;
  return pattern.replace(/%(.)/gs, (_, letter: string) => FORMATS[letter]?.(wall) ?? letter);
};

/** The moment of a wall-clock time in the tenant's zone: seconds since 1970. */
function unixSeconds(clock: LocalClock, wall: Wall): number {
  const offset = (ms: number) => (wallOf(clock.localText(ms))?.getTime() ?? ms) - Math.floor(ms / 1000) * 1000;
  const guess = wall.getTime() - offset(wall.getTime());
  return Math.floor((wall.getTime() - offset(guess)) / 1000);
}

const unixTimestamp: SqlFunction = (clock, value) => {
  if (value === undefined) return toSql(Math.floor(clock.now() / 1000));
  const wall = wallOf(value);
  if (wall === undefined) return value === null ? null : 0n;
  return toSql(Math.max(0, unixSeconds(clock, wall)));
};

const fromUnixTime: SqlFunction = (clock, seconds, format) => {
  const number = numberOf(seconds);
  if (number === undefined || number < 0 || number > 32_536_771_199) return null;
  const text = clock.localText(Math.floor(number) * 1000);
  return format === undefined ? text : formatted(clock, text, format);
};

/** What a part of a STR_TO_DATE format matches. */
const READERS: Readonly<Record<string, string>> = {
  Y: '(?<Y>\\d{4})',
  m: '(?<m>\\d{1,2})',
  c: '(?<m>\\d{1,2})',
  d: '(?<d>\\d{1,2})',
  e: '(?<d>\\d{1,2})',
  H: '(?<H>\\d{1,2})',
  k: '(?<H>\\d{1,2})',
  i: '(?<i>\\d{1,2})',
  s: '(?<s>\\d{1,2})',
  S: '(?<s>\\d{1,2})',
  T: '(?<H>\\d{1,2}):(?<i>\\d{1,2}):(?<s>\\d{1,2})',
};

const strToDate: SqlFunction = (_clock, value, format) => {
  const [text, pattern] = [textOf(value), textOf(format)];
  if (text === undefined || pattern === undefined || text.length > 100 || pattern.length > 100) return null;
  const parts = pattern.split(/(%.)/s).map((piece) => {
    if (/^%.$/s.test(piece)) return READERS[piece[1] ?? ''];
    return piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  });
  if (parts.includes(undefined)) return null;
  const found = readWith(parts.join(''), text);
  if (found === undefined) return null;
  const { Y = '0', m = '0', d = '0', H = '0', i = '0', s = '0' } = found;
  const wall = wallOf(`${Y.padStart(4, '0')}-${m}-${d} ${H}:${i}:${s}`);
  if (wall === undefined) return null;
  return /%[HkisST]/.test(pattern) ? fullText(wall) : dateText(wall);
};

/** A format that names one part twice is none. */
function readWith(pattern: string, text: string): Readonly<Record<string, string | undefined>> | undefined {
  try {
    return new RegExp(`^${pattern}`).exec(text)?.groups;
  } catch {
    return undefined;
  }
}

const secondsOf = (text: string): number | undefined => {
  const [, sign = '', hours = 0, minutes = 0, seconds = 0] = /^(-?)(\d+):(\d{1,2})(?::(\d{1,2}))?/.exec(text) ?? [];
  if (hours === 0 && minutes === 0 && seconds === 0 && !/^-?0+:/.test(text)) return undefined;
  const total = Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -total : total;
};

function clockText(total: number): string {
  const seconds = Math.abs(Math.trunc(total));
  const text = `${two(Math.floor(seconds / 3600))}:${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
  return total < 0 ? `-${text}` : text;
}

const timestampDiff: SqlFunction = (_clock, unit, from, to): SQLInputValue => {
  const [early, late] = [wallOf(from), wallOf(to)];
  return early === undefined || late === undefined ? null : toSql(difference(textOf(unit) ?? '', early, late));
};

/** Date functions of MySQL, by the name they are called with after rewrite-sqlite.ts. */
export const DATE_FUNCTIONS: Readonly<Record<string, SqlFunction>> = {
  now,
  sysdate: now,
  curdate: (clock) => now(clock).slice(0, 10),
  curtime: (clock) => now(clock).slice(11),
  utc_timestamp: (clock) => fullText(new Date(clock.now())),
  utc_date: (clock) => dateText(new Date(clock.now())),
  date_of: textPart(dateText),
  time_of: textPart(timeText),
  timestamp: textPart(fullText),
  date_format: formatted,
  time_format: (clock, value, format) =>
    formatted(clock, `2000-01-01 ${textOf(value)?.replace(/^.* /, '') ?? ''}`, format ?? null),
  unix_timestamp: unixTimestamp,
  from_unixtime: fromUnixTime,
  str_to_date: strToDate,
  date_add: shift(1),
  adddate: shift(1),
  date_sub: shift(-1),
  subdate: shift(-1),
  timestampadd: (clock, unit, amount, value) => shift(1)(clock, value ?? null, amount ?? null, unit ?? null),
  timestampdiff: timestampDiff,
  datediff: (_clock, to, from) => {
    const [late, early] = [wallOf(to), wallOf(from)];
    if (late === undefined || early === undefined) return null;
    return toSql(Math.floor(late.getTime() / DAY_MS) - Math.floor(early.getTime() / DAY_MS));
  },
  extract: (_clock, unit, value) => {
    const [wall, compute] = [wallOf(value), PARTS[textOf(unit) ?? '']];
    return wall === undefined || compute === undefined ? null : toSql(compute(wall));
  },
  ...Object.fromEntries(Object.entries(PARTS).map(([name, compute]) => [name, part(compute)])),
  dayofmonth: part((wall) => wall.getUTCDate()),
  dayofweek: part((wall) => wall.getUTCDay() + 1),
  dayofyear: part(dayOfYear),
  weekday: part((wall) => (wall.getUTCDay() + 6) % 7),
  weekofyear: part(isoWeek),
  to_days: part((wall) => Math.floor(wall.getTime() / DAY_MS) + 719_528),
  dayname: textPart((wall) => at(DAYS, wall.getUTCDay())),
  monthname: textPart((wall) => at(MONTHS, wall.getUTCMonth())),
  last_day: textPart((wall) => dateText(new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + 1, 0)))),
  time_to_sec: (_clock, value) => toSql(secondsOf(textOf(value)?.replace(/^.* /, '') ?? '')),
  sec_to_time: (_clock, value) => {
    const seconds = numberOf(value);
    return seconds === undefined ? null : clockText(seconds);
  },
};
