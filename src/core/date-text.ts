const MOMENT =
  /^(\d{4})([-/])(\d{1,2})\2(\d{1,2})(?:[ T](\d{1,2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?\s*(Z|[+-]\d{2}:?\d{2})?$/i;

/** Writes a moment (milliseconds UTC) as the tenant's local time, `yyyy-MM-dd HH:mm:ss`. */
export type LocalText = (millis: number) => string;

/**
 * A date as text in the one form in which every database compares it: `yyyy-MM-dd HH:mm:ss`, with milliseconds only
 * where there are some. Takes a date alone (its midnight), `/` for `-`, a `T`, one-digit parts, and the UTC form that
 * JSON makes of a JavaScript Date, which becomes local time. Undefined for everything that is no date.
 */
export function normalDateText(text: string, localText: LocalText): string | undefined {
  const parts = MOMENT.exec(text.trim());
  if (parts === null) return undefined;
  const [, year = '', , month = '', day = '', hour = '0', minute = '0', second = '0', fraction = '', zone] = parts;
  if (zone !== undefined && parts[5] === undefined) return undefined;
  const numbers = [year, month, day, hour, minute, second].map(Number) as Moment;
  if (!isOnCalendar(numbers)) return undefined;
  const plain = zone === undefined ? written(numbers) : localText(utcMillis(numbers, zone));
  return plain + milliseconds(fraction);
}

/** Year, month from 1, day, hour, minute, second. */
type Moment = [number, number, number, number, number, number];

/**
 * The moment of a text as `normalDateText` writes it: the inverse of `localText`. An hour that a clock passes twice is
 * one of the two; one that it skips is the moment of the skip, more or less an hour.
 */
export function localMillis(text: string, localText: LocalText): number {
  const wall = (written: string) => Date.parse(`${written.slice(0, 19).replace(' ', 'T')}Z`);
  const wanted = wall(text);
  let moment = wanted;
  // The offset there may be another than the one at the first guess.
  for (let pass = 0; pass < 2; pass += 1) moment += wanted - wall(localText(moment));
  return moment + Number(`0${text.slice(19)}`) * 1_000;
}

function isOnCalendar([year, month, day, hour, minute, second]: Moment): boolean {
  if (year < 1 || month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return false;
  return day <= daysOf(year, month);
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

function written([year, month, day, hour, minute, second]: Moment): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
  return `${date} ${two(hour)}:${two(minute)}:${two(second)}`;
}

function utcMillis([year, month, day, hour, minute, second]: Moment, zone: string): number {
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d{2}):?(\d{2})$/.exec(zone) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1);
  return Date.UTC(year, month - 1, day, hour, minute, second) - offset;
}

function milliseconds(fraction: string): string {
  const kept = fraction.slice(0, 3).replace(/0+$/, '');
  return kept === '' ? '' : `.${kept}`;
}
