import { language } from './text.ts';

/** A moment in the reader's own time zone, which is named. @param at milliseconds UTC; nothing is shown as a dash. */
export function showTime(at: number | null | undefined): string {
  if (at === null || at === undefined || at === 0) return '—';
  const locale = language.value === 'zh' ? 'zh-CN' : 'en-GB';
  return `${new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(at)} ${zoneAt(at)}`;
}

/** The reader's offset, such as `UTC+8`: with summer time it is another one half a year later. */
export function zoneAt(at: number): string {
  const parts = new Intl.DateTimeFormat('en-GB', { timeZoneName: 'shortOffset' }).formatToParts(at);
  const offset = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return offset.replace('GMT', 'UTC');
}

/** How long ago, such as `3 分钟前`. @param at milliseconds UTC. */
export function showAge(at: number): string {
  const seconds = Math.round((at - Date.now()) / 1000);
  const format = new Intl.RelativeTimeFormat(language.value, { numeric: 'auto' });
  for (const [unit, length] of UNITS) {
    if (Math.abs(seconds) >= length) return format.format(Math.trunc(seconds / length), unit);
  }
  return format.format(seconds, 'second');
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
] as const;

/** A whole number with its thousands apart. */
export function showNumber(value: number): string {
  return new Intl.NumberFormat(language.value === 'zh' ? 'zh-CN' : 'en-GB').format(value);
}
