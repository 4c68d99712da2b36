import type { HostAnswer } from './host-client.ts';

/** Writes times as the host's own texts are written, so that one screen shows one kind of time. */
export interface LocalTime {
  /** IANA name, such as `Asia/Shanghai`. */
  readonly zone: string;
  /** `yyyy-MM-dd HH:mm:ss.SSS`. @param ms milliseconds UTC. */
  text(ms: number): string;
}

/** The time zone that an answer carries; UTC for an answer without one. */
export function localTimeOf({ result }: Pick<HostAnswer, 'result'>): LocalTime {
  const given = 'TimeZone' in result ? result.TimeZone : undefined;
  return localTime(typeof given === 'string' ? given : 'UTC');
}

/** @throws RangeError for a zone that this machine does not know. */
export function localTime(zone: string): LocalTime {
  const two = '2-digit';
  const format = new Intl.DateTimeFormat('en-u-ca-iso8601-nu-latn', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: two,
    day: two,
    hour: two,
    minute: two,
    second: two,
    fractionalSecondDigits: 3,
  });
  return {
    zone,
    text(ms) {
      const part = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, value]));
      const { year, month, day, hour, minute, second, fractionalSecond } = part;
      return `${year}-${month}-${day} ${hour}:${minute}:${second}.${fractionalSecond}`;
    },
  };
}
